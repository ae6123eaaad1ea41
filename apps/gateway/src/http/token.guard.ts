import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { Context } from '../context.ts';
import { CONTEXT } from '../injection-tokens.ts';
import { type Authorization, authorizeCall } from './authorize-call.ts';
import { LargeBodies } from './large-bodies.ts';
import { namedMethodOf, type ServedRequest } from './served-request.ts';

@Injectable()
export class TokenGuard implements CanActivate {
  readonly #authorization: Authorization;

  constructor(@Inject(CONTEXT) context: Context, @Inject(LargeBodies) bodies: LargeBodies) {
    this.#authorization = { context, bodies };
  }

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const request = execution.switchToHttp().getRequest<ServedRequest>();
    const { raw: message, pending, query, params } = request;
    const received = { message, pending, parameters: { ...(query as object), ...(params as object) } };
    request.authorized = await authorizeCall(namedMethodOf(request).method, received, this.#authorization);
    return true;
  }
}
