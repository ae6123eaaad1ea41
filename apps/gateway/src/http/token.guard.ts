import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { Context } from '../context.ts';
import { CONTEXT } from '../injection-tokens.ts';
import { authorizeCall } from './authorize-call.ts';
import { LargeBodies } from './large-bodies.ts';
import { namedMethodOf, type ServedRequest } from './served-request.ts';

@Injectable()
export class TokenGuard implements CanActivate {
  readonly #context: Context;
  readonly #bodies: LargeBodies;

  constructor(@Inject(CONTEXT) context: Context, @Inject(LargeBodies) bodies: LargeBodies) {
    this.#context = context;
    this.#bodies = bodies;
  }

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const request = execution.switchToHttp().getRequest<ServedRequest>();
    const { raw: message, pending, query, params } = request;
    const received = { message, pending, parameters: { ...(query as object), ...(params as object) } };
    request.authorized = await authorizeCall(namedMethodOf(request).method, received, {
      context: this.#context,
      bodies: this.#bodies,
    });
    return true;
  }
}
