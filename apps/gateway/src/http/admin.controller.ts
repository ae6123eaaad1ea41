import type { IncomingMessage } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import type { Method, Request } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import { isSecret, secretOf } from '../auth/secrets.ts';
import type { Call, Context, Handler } from '../context.ts';
import { adminEnvelope } from '../envelopes/admin.ts';
import { ADMIN_TOKEN, CONTEXT } from '../tokens.ts';
import { parseObject, readBody } from './body.ts';
import { queryOf, type Route } from './route.ts';

const operator: Call = { account: '', presented: undefined, application: undefined, idempotencyKey: '' };

/** Of the body, or of the query where there is none. An empty body is an empty object: operators' requests have few fields, and often none. */
async function fieldsOf(request: IncomingMessage): Promise<Request> {
  if (request.method === 'GET' || request.method === 'DELETE') return queryOf(request.url);
  const body = await readBody(request);
  return body.length === 0 ? {} : parseObject(body);
}

/** `/admin/v1/`: operators, with the administrator token (R-T8). */
@Injectable()
export class AdminController {
  readonly #context: Context;
  readonly #isAdministrator: (presented: string) => boolean;

  constructor(@Inject(CONTEXT) context: Context, @Inject(ADMIN_TOKEN) token: string) {
    this.#context = context;
    this.#isAdministrator = isSecret(token);
  }

  route(method: Method, handler: Handler<Method>): Route {
    return {
      verb: method.verb,
      path: method.path,
      envelope: adminEnvelope,
      method,
      serve: async (request, parameters) => {
        const fields = { ...(await fieldsOf(request)), ...parameters };
        if (!this.#isAdministrator(secretOf(request.headers.authorization) ?? '')) {
          throw Fault.unauthorized('missing or invalid administrator token');
        }
        const missing = method.missing(fields);
        if (missing) throw missing;
        const output = await handler(method.parse(fields), this.#context, operator);
        return adminEnvelope.success(method, output);
      },
    };
  }
}
