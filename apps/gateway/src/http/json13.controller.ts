import { Inject, Injectable } from '@nestjs/common';
import type { Method } from '@tidings/contract';
import type { Context, Handler } from '../context.ts';
import { json13Envelope } from '../envelopes/json13.ts';
import { CONTEXT } from '../tokens.ts';
import { parametersIn, parseObject, readBody } from './body.ts';
import { invoke } from './invoke.ts';
import type { Route } from './route.ts';

/** `/json/1.3/`, and what speaks like it: parameters mostly wrapped in `request`, tokens in the body or the header. */
@Injectable()
export class Json13Controller {
  readonly #context: Context;

  constructor(@Inject(CONTEXT) context: Context) {
    this.#context = context;
  }

  route(method: Method, handler: Handler<Method>): Route {
    return {
      verb: method.verb,
      path: method.path,
      envelope: json13Envelope,
      method,
      serve: async (request) => {
        const parameters = parametersIn(parseObject(await readBody(request)), method.body);
        const output = await invoke(method, handler, this.#context, parameters, request.headers);
        return json13Envelope.success(method, output);
      },
    };
  }
}
