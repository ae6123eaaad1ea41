import { Inject, Injectable } from '@nestjs/common';
import { Fault } from '@tidings/kernel';
import type { Context } from '../context.ts';
import { apiV2Envelope } from '../envelopes/api-v2.ts';
import { CONTEXT } from '../tokens.ts';
import type { Route } from './route.ts';

/** `/s/{code}`: the service's own short links (R-I19). */
@Injectable()
export class LinksController {
  readonly #context: Context;

  constructor(@Inject(CONTEXT) context: Context) {
    this.#context = context;
  }

  route(): Route {
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
