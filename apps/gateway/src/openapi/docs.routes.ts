import type { IncomingMessage } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { asyncApiText } from '@tidings/events';
import { Fault } from '@tidings/kernel';
import type { Context } from '../context.ts';
import { apiV2Envelope } from '../envelopes/api-v2.ts';
import type { Reply } from '../envelopes/reply.ts';
import { type OpenApi, openApiOf } from './openapi-document.ts';
import {
  type Asset,
  assetOf,
  ASSETS_PATH,
  DOCUMENT_PATH,
  pageHeaders,
  type Reference,
  referenceOf,
} from './reference.ts';
import { CONTEXT } from '../injection-tokens.ts';
import type { Route } from '../http/route.ts';

/** Caching of an address whose content may change with an update. */
const REVALIDATED = 'no-cache';
/** Caching of content with a unique name in each version. */
const KEPT = 'public, max-age=31536000, immutable';

/** Memoizes `make` on first use; a failure is not kept. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

const takesGzip = ({ headers }: IncomingMessage): boolean =>
  /\bgzip\b(?!\s*;\s*q=0(\.0+)?\s*(,|$))/.test(String(headers['accept-encoding'] ?? ''));

const JSON_TYPE = 'application/json; charset=utf-8';

/** The API's own documentation: `/openapi.json` and, of the topics, `/asyncapi.json` for programs, `/docs` for people. None needs a token. */
@Injectable()
export class DocsRoutes {
  readonly #document: () => OpenApi;
  readonly #json: () => Promise<Asset>;
  readonly #topics = once(async () => assetOf(JSON_TYPE, await asyncApiText()));
  readonly #reference: () => Promise<Reference>;

  constructor(@Inject(CONTEXT) { publicUrl }: Context) {
    this.#document = () => openApiOf(publicUrl);
    this.#json = once(() => assetOf(JSON_TYPE, `${JSON.stringify(this.#document())}\n`));
    this.#reference = once(() => referenceOf(this.#document()));
  }

  routes(): Route[] {
    return [
      this.#file(DOCUMENT_PATH, REVALIDATED, this.#json),
      this.#file('/asyncapi.json', REVALIDATED, this.#topics),
      this.#file('/docs', REVALIDATED, async () => (await this.#reference()).page, pageHeaders),
      this.#file(`${ASSETS_PATH}/{name}`, KEPT, async ({ name = '' }) => {
        const asset = (await this.#reference()).assets.get(name);
        if (!asset) throw Fault.notFound('Not Found');
        return asset;
      }),
    ];
  }

  #file(
    path: string,
    cacheControl: string,
    find: (parameters: Readonly<Record<string, string>>) => Promise<Asset>,
    headers: Readonly<Record<string, string>> = { 'x-content-type-options': 'nosniff' },
  ): Route {
    return {
      verb: 'GET',
      path,
      envelope: apiV2Envelope,
      serve: async (request, parameters): Promise<Reply> => {
        const { type, bytes, gzipped } = await find(parameters);
        const packed = takesGzip(request);
        return {
          status: 200,
          body: '',
          file: { type, bytes: packed ? gzipped : bytes },
          headers: {
            ...headers,
            'cache-control': cacheControl,
            vary: 'accept-encoding',
            ...(packed && { 'content-encoding': 'gzip' }),
          },
        };
      },
    };
  }
}
