import { Inject, Injectable } from '@nestjs/common';
import type { Method } from '@tidings/contract';
import type { Call, Context, Handler } from '../context.ts';
import { envelopes } from '../envelopes/envelopes.ts';
import type { Reply } from '../envelopes/reply.ts';
import { type MethodName, methods, type NamedMethod } from '../http/families.ts';
import { CONTEXT } from '../injection-tokens.ts';
import { storesMore } from '../limits/storage-guard.ts';
import { handlers } from '../methods/handlers.ts';

const handlerOf: Readonly<Record<MethodName, Handler<Method, keyof Context>>> = handlers;
const storing = new Set(methods.filter(({ name, method }) => storesMore(name, method)).map(({ name }) => name));

@Injectable()
export class MethodHandlers {
  readonly #context: Context;

  constructor(@Inject(CONTEXT) context: Context) {
    this.#context = context;
  }

  async answer({ name, method }: NamedMethod, input: unknown, call: Call): Promise<Reply> {
    if (storing.has(name)) this.#context.storage?.admit();
    const output = await handlerOf[name](input, this.#context, call);
    return envelopes[method.family].success(method, output);
  }
}
