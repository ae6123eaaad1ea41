import { Inject, Injectable } from '@nestjs/common';
import type { Method } from '@tidings/contract';
import type { Context, Handler } from '../context.ts';
import { envelopes } from '../envelopes/envelopes.ts';
import { CONTEXT } from '../tokens.ts';
import { parseObject, readBody } from './body.ts';
import { invoke } from './invoke.ts';
import type { Route } from './route.ts';

/** The newer endpoints: bare bodies; each family's own envelope. */
@Injectable()
export class ApiV2Controller {
  readonly #context: Context;

  constructor(@Inject(CONTEXT) context: Context) {
    this.#context = context;
  }

  route(method: Method, handler: Handler<Method>): Route {
    const envelope = envelopes[method.family];
    return {
      verb: method.verb,
      path: method.path,
      envelope,
      method,
      serve: async (request) => {
        const parameters = parseObject(await readBody(request));
        return envelope.success(method, await invoke(method, handler, this.#context, parameters, request.headers));
      },
    };
  }
}
