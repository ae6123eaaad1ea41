import type { IncomingMessage } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { BODY_LIMIT_BYTES, type Method, type Request } from '@tidings/contract';
import type { Context, Handler } from '../context.ts';
import { envelopes } from '../envelopes/envelopes.ts';
import { CONTEXT } from '../tokens.ts';
import { parseObject, readBody, readPackedBody } from './body.ts';
import { invoke } from './invoke.ts';
import type { Reply } from '../envelopes/reply.ts';
import { queryOf, type Route } from './route.ts';
import { readInTurn, Turns } from './turns.ts';

/** Bodies up to this size are no burden. */
const SMALL_BODY_BYTES = 1024 * 1024;
/** Large ones that are in memory at a time, and of those that are taken apart: that takes several times their size. */
const LARGE_READ_AT_ONCE = 4;
const LARGE_TAKEN_AT_ONCE = 1;

const turns = { reading: new Turns(LARGE_READ_AT_ONCE), working: new Turns(LARGE_TAKEN_AT_ONCE) };

/** True unless the request says that its body is small. */
const mayBeLarge = ({ headers }: IncomingMessage): boolean =>
  headers['content-encoding'] !== undefined || !(Number(headers['content-length']) <= SMALL_BODY_BYTES);

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
        if (method.maxBodyBytes === BODY_LIMIT_BYTES || !mayBeLarge(request)) {
          return answer(request, parseObject(await readBody(request)));
        }
        return readInTurn(
          turns,
          () => readPackedBody(request, method.maxBodyBytes),
          (bytes) => answer(request, parseObject(bytes)),
        );
      },
    };
  }
}
