import { Inject, Injectable } from '@nestjs/common';
import type { Method } from '@tidings/contract';
import type { Call, Context, Handler } from '../context.ts';
import { envelopes } from '../envelopes/envelopes.ts';
import type { Reply } from '../envelopes/reply.ts';
import { type MethodName, methods, type NamedMethod } from '../http/families.ts';
import { CONTEXT } from '../injection-tokens.ts';
import { guarded } from '../limits/storage-guard.ts';
import { handlers } from '../methods/handlers.ts';

/** Calls the handlers of the methods. */
@Injectable()
export class MethodHandlers {
  readonly #context: Context;
  readonly #handlers: ReadonlyMap<MethodName, Handler<Method>>;

  constructor(@Inject(CONTEXT) context: Context) {
    this.#context = context;
    this.#handlers = new Map(methods.map(({ name, method }) => [name, guarded(name, method, handlers[name])]));
  }

  /** @throws Fault of the handler */
  async answer({ name, method }: NamedMethod, input: unknown, call: Call): Promise<Reply> {
    const output = await this.#handlers.get(name)!(input, this.#context, call);
    return envelopes[method.family].success(method, output);
  }
}
