import type { IncomingMessage } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { BODY_LIMIT_BYTES, type Method, type Request } from '@tidings/contract';
import type { Context, Handler } from '../context.ts';
import { envelopes } from '../envelopes/envelopes.ts';
import { CONTEXT } from '../tokens.ts';
import { parseObject, readBody } from './body.ts';
import { invoke } from './invoke.ts';
import { LargeBodies } from './large-bodies.ts';
import type { Reply } from '../envelopes/reply.ts';
import { queryOf, type Route } from './route.ts';

/** Bytes of large bodies that a process holds at a time. */
const LARGE_BYTES = 256 * 1024 * 1024;
const largeBodies = new LargeBodies(LARGE_BYTES);

/** The newer endpoints: bare bodies; each family's own envelope. Large bodies have their turns, one process's all together. */
@Injectable()
export class ApiV2Controller {
  readonly #context: Context;

  constructor(@Inject(CONTEXT) context: Context) {
    this.#context = context;
  }

  route(method: Method, handler: Handler<Method>): Route {
    const envelope = envelopes[method.family];
    const answer = async (request: IncomingMessage, parameters: Request): Promise<Reply> =>
      envelope.success(method, await invoke(method, handler, this.#context, parameters, request.headers));
    return {
      verb: method.verb,
      path: method.path,
      envelope,
      method,
      async serve(request, parameters) {
        if (method.verb === 'GET') return answer(request, { ...queryOf(request.url), ...parameters });
        if (method.maxBodyBytes === BODY_LIMIT_BYTES) return answer(request, parseObject(await readBody(request)));
        return largeBodies.take(request, method.maxBodyBytes, (bytes) => answer(request, parseObject(bytes)));
      },
    };
  }
}
