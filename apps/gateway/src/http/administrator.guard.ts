import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Administrators } from '../auth/administrators.ts';
import type { Context } from '../context.ts';
import { CONTEXT } from '../injection-tokens.ts';
import { refuseTooLarge } from './body.ts';
import { hasBody } from './families.ts';
import type { ServedRequest } from './served-request.ts';

@Injectable()
export class AdministratorGuard implements CanActivate {
  readonly #administrators: Administrators;
  readonly #clients: Context['clients'];

  constructor(@Inject(Administrators) administrators: Administrators, @Inject(CONTEXT) { clients }: Context) {
    this.#administrators = administrators;
    this.#clients = clients;
  }

  canActivate(execution: ExecutionContext): boolean {
    const request = execution.switchToHttp().getRequest<ServedRequest>();
    const method = request.route.named?.method;
    if (method && hasBody(method)) refuseTooLarge(request.raw, method.maxBodyBytes);
    this.#administrators.check(request.headers.authorization, this.#clients.of(request.raw));
    return true;
  }
}
