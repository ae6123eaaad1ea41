import { Inject, Injectable } from '@nestjs/common';
import type { Method } from '@tidings/contract';
import type { Context, Handler } from '../context.ts';
import { json13Envelope } from '../envelopes/json13.ts';
import { CONTEXT } from '../injection-tokens.ts';
import { refuseTooLarge } from './body.ts';
import { invoke } from './invoke.ts';
import { LargeBodies } from './large-bodies.ts';
import { bodyFormOf, parametersIn, withObject } from './parameters.ts';
import type { Route } from './route.ts';

/** `/json/1.3/` and the endpoints in its style: parameters mostly wrapped in `request`, tokens in the body or the header. */
@Injectable()
export class Json13Routes {
  readonly #context: Context;
  readonly #bodies: LargeBodies;

  constructor(@Inject(CONTEXT) context: Context, @Inject(LargeBodies) bodies: LargeBodies) {
    this.#context = context;
    this.#bodies = bodies;
  }

  route(method: Method, handler: Handler<Method>): Route {
    const { maxBodyBytes: limit, deadlineMs } = method;
    const form = bodyFormOf(method);
    return {
      verb: method.verb,
      path: method.path,
      envelope: json13Envelope,
      method,
      serve: async (request, _parameters, pending) => {
        refuseTooLarge(request, limit);
        const output = await invoke(method, handler, this.#context, {
          request,
          pending,
          read: (authenticate, work) =>
            this.#bodies.take(request, { limit, deadlineMs, pending }, async (bytes) =>
              withObject(bytes, (body) => work(parametersIn(body, method.body)), form, authenticate),
            ),
        });
        return json13Envelope.success(method, output);
      },
    };
  }
}
