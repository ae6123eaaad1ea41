import { Get, Headers, Inject, Param } from '@nestjs/common';
import { ApiController } from '../http/api-controller.ts';
import { asyncApiText } from '@tidings/events';
import { Fault } from '@tidings/kernel';
import type { Context } from '../context.ts';
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
import { strictDocument } from './strict-document.ts';

const REVALIDATED = 'no-cache';
const KEPT = 'public, max-age=31536000, immutable';

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

const takesGzip = (encodings = ''): boolean => /\bgzip\b(?!\s*;\s*q=0(\.0+)?\s*(,|$))/.test(encodings);

const JSON_TYPE = 'application/json; charset=utf-8';

@ApiController()
export class DocsController {
  readonly #document: () => OpenApi;
  readonly #json: () => Promise<Asset>;
  readonly #strict: () => Promise<Asset>;
  readonly #topics = once(async () => assetOf(JSON_TYPE, await asyncApiText()));
  readonly #reference: () => Promise<Reference>;

  constructor(@Inject(CONTEXT) { publicUrl }: Context) {
    this.#document = () => openApiOf(publicUrl);
    this.#json = once(() => assetOf(JSON_TYPE, `${JSON.stringify(this.#document())}\n`));
    this.#strict = once(() => assetOf(JSON_TYPE, `${JSON.stringify(strictDocument(this.#document()))}\n`));
    this.#reference = once(() => referenceOf(this.#document()));
  }

  @Get(DOCUMENT_PATH)
  async document(@Headers('accept-encoding') encodings?: string): Promise<Reply> {
    return fileReply(await this.#json(), encodings, { 'cache-control': REVALIDATED, ...AS_DECLARED });
  }

  @Get('openapi-strict.json')
  async strict(@Headers('accept-encoding') encodings?: string): Promise<Reply> {
    return fileReply(await this.#strict(), encodings, { 'cache-control': REVALIDATED, ...AS_DECLARED });
  }

  @Get('asyncapi.json')
  async topics(@Headers('accept-encoding') encodings?: string): Promise<Reply> {
    return fileReply(await this.#topics(), encodings, { 'cache-control': REVALIDATED, ...AS_DECLARED });
  }

  @Get()
  root(): Reply {
    return { status: 302, body: '', headers: { location: '/docs' } };
  }

  @Get('docs')
  async page(@Headers('accept-encoding') encodings?: string): Promise<Reply> {
    const { page } = await this.#reference();
    return fileReply(page, encodings, { 'cache-control': REVALIDATED, ...pageHeaders });
  }

  @Get(`${ASSETS_PATH}/:name`)
  async asset(@Param('name') name: string, @Headers('accept-encoding') encodings?: string): Promise<Reply> {
    const asset = (await this.#reference()).assets.get(name);
    if (!asset) throw Fault.notFound('Not Found');
    return fileReply(asset, encodings, { 'cache-control': KEPT, ...AS_DECLARED });
  }
}

const AS_DECLARED = { 'x-content-type-options': 'nosniff' };

function fileReply(
  { type, bytes, gzipped }: Asset,
  encodings: string | undefined,
  headers: Readonly<Record<string, string>>,
): Reply {
  const isPacked = takesGzip(encodings);
  return {
    status: 200,
    body: '',
    file: { type, bytes: isPacked ? gzipped : bytes },
    headers: { ...headers, vary: 'accept-encoding', ...(isPacked && { 'content-encoding': 'gzip' }) },
  };
}
