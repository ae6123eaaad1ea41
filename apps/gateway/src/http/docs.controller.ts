import { Inject, Injectable } from '@nestjs/common';
import type { Context } from '../context.ts';
import { apiV2Envelope } from '../envelopes/api-v2.ts';
import { openApiOf } from '../openapi/document.ts';
import { pageOf } from '../openapi/page.ts';
import { CONTEXT } from '../tokens.ts';
import type { Route } from './route.ts';

/** What the API says of itself: `/openapi.json` for programs, `/docs` for people. Made when it is asked for first. */
@Injectable()
export class DocsController {
  readonly #publicUrl: string;
  readonly #made = new Map<string, Uint8Array>();

  constructor(@Inject(CONTEXT) { publicUrl }: Context) {
    this.#publicUrl = publicUrl;
  }

  routes(): Route[] {
    return [
      this.#file('/openapi.json', 'application/json; charset=utf-8', () => JSON.stringify(openApiOf(this.#publicUrl))),
      this.#file('/docs', 'text/html; charset=utf-8', () => pageOf(openApiOf(this.#publicUrl))),
    ];
  }

  #file(path: string, type: string, make: () => string): Route {
    return {
      ...{ verb: 'GET', path, envelope: apiV2Envelope },
      serve: async () => {
        const bytes = this.#made.get(path) ?? Buffer.from(make());
        this.#made.set(path, bytes);
        const headers = { 'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'" };
        return { status: 200, body: '', file: { type, bytes }, headers };
      },
    };
  }
}
