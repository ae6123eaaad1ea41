import { Inject, Injectable } from '@nestjs/common';
import type { Method } from '@tidings/contract';
import type { Context, Handler } from '../context.ts';
import { envelopes } from '../envelopes/envelopes.ts';
import { CONTEXT } from '../injection-tokens.ts';
import { refuseTooLarge } from './body.ts';
import { invoke } from './invoke.ts';
import { LargeBodies } from './large-bodies.ts';
import { bodyFormOf, withObject } from './parameters.ts';
import { queryOf, type Route } from './route.ts';

/** The newer endpoints: bare bodies; each family's own envelope. */
@Injectable()
export class ApiV2Routes {
  readonly #context: Context;
  readonly #bodies: LargeBodies;

  constructor(@Inject(CONTEXT) context: Context, @Inject(LargeBodies) bodies: LargeBodies) {
    this.#context = context;
    this.#bodies = bodies;
  }

  route(method: Method, handler: Handler<Method>): Route {
    const envelope = envelopes[method.family];
    const { maxBodyBytes: limit, deadlineMs } = method;
    const form = bodyFormOf(method);
    return {
      verb: method.verb,
      path: method.path,
      envelope,
      method,
      serve: async (request, parameters, pending) => {
        const hasBody = method.verb !== 'GET';
        if (hasBody) refuseTooLarge(request, limit);
        const output = await invoke(method, handler, this.#context, {
          request,
          pending,
          read: (authenticate, work) =>
            hasBody
              ? this.#bodies.take(request, { limit, deadlineMs, pending }, async (bytes) =>
                  withObject(bytes, work, form, authenticate),
                )
              : work({ ...queryOf(request.url), ...parameters }),
        });
        return envelope.success(method, output);
      },
    };
  }
}
