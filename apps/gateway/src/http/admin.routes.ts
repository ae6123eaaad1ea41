import { Inject, Injectable } from '@nestjs/common';
import type { Method, Request } from '@tidings/contract';
import { Administrators } from '../auth/administrators.ts';
import type { Context, Handler } from '../context.ts';
import { adminEnvelope } from '../envelopes/admin.ts';
import type { Reply } from '../envelopes/reply.ts';
import { CONTEXT } from '../injection-tokens.ts';
import { refuseTooLarge } from './body.ts';
import { LargeBodies } from './large-bodies.ts';
import { withObject } from './parameters.ts';
import { queryOf, type Route } from './route.ts';

const operator = { account: '', credentials: undefined, application: undefined, idempotencyKey: '' };

/** GET and DELETE take their parameters from the query. */
const hasBody = ({ verb }: Method): boolean => verb !== 'GET' && verb !== 'DELETE';

/** `/admin/v1/`: for operators, with the administrator token (R-T8). */
@Injectable()
export class AdminRoutes {
  readonly #context: Context;
  readonly #bodies: LargeBodies;
  readonly #administrators: Administrators;

  constructor(
    @Inject(CONTEXT) context: Context,
    @Inject(LargeBodies) bodies: LargeBodies,
    @Inject(Administrators) administrators: Administrators,
  ) {
    this.#context = context;
    this.#bodies = bodies;
    this.#administrators = administrators;
  }

  route(method: Method, handler: Handler<Method>): Route {
    const { maxBodyBytes: limit, deadlineMs } = method;
    return {
      verb: method.verb,
      path: method.path,
      envelope: adminEnvelope,
      method,
      serve: async (request, parameters, pending) => {
        if (hasBody(method)) refuseTooLarge(request, limit);
        const address = this.#context.clients.of(request);
        this.#administrators.check(request.headers.authorization, address);
        const act = async (given: Request): Promise<Reply> => {
          const fields = { ...given, ...parameters };
          const missing = method.missing(fields);
          if (missing) throw missing;
          const output = await handler(method.parse(fields), this.#context, {
            ...operator,
            pending,
            address,
          });
          return adminEnvelope.success(method, output);
        };
        if (!hasBody(method)) return act(queryOf(request.url));
        // Requests of operators often have no fields.
        return this.#bodies.take(request, { limit, deadlineMs, pending }, async (bytes) =>
          bytes.length === 0 ? act({}) : withObject(bytes, act),
        );
      },
    };
  }
}
