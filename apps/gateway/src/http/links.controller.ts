import { Inject, Injectable } from '@nestjs/common';
import { Fault } from '@tidings/kernel';
import type { Context } from '../context.ts';
import { apiV2Envelope } from '../envelopes/api-v2.ts';
import { CONTEXT } from '../tokens.ts';
import type { Route } from './route.ts';

/** What the service's own addresses lead to: short links (R-I19) and the icons of applications (R-B1). */
@Injectable()
export class LinksController {
  readonly #context: Context;

  constructor(@Inject(CONTEXT) context: Context) {
    this.#context = context;
  }

  routes(): Route[] {
    return [this.#shortLink(), this.#icon()];
  }

  #icon(): Route {
    return {
      verb: 'GET',
      path: '/icons/{file}',
      envelope: apiV2Envelope,
      serve: async (_request, { file = '' }) => {
        const { png } = await this.#context.accounts.getIcon({ icon: file.replace(/\.png$/, '') });
        if (png.length === 0) throw Fault.notFound('Not Found');
        // The name is a hash of the bytes: what lies behind it never changes.
        const headers = { 'cache-control': 'public, max-age=31536000, immutable' };
        return { status: 200, body: '', file: { type: 'image/png', bytes: png }, headers };
      },
    };
  }

  #shortLink(): Route {
    return {
      verb: 'GET',
      path: '/s/{code}',
      envelope: apiV2Envelope,
      serve: async (_request, { code = '' }) => {
        const { url } = await this.#context.messages.followLink({ code });
        // As a URL it is ASCII, which headers have to be.
        const location = URL.parse(url)?.href;
        if (location === undefined) throw Fault.notFound('Not Found');
        return { status: 302, body: '', headers: { location } };
      },
    };
  }
}
