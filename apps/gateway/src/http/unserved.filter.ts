import { type ArgumentsHost, Catch, type ExceptionFilter, Inject, NotFoundException } from '@nestjs/common';
import { ServedRoutes } from './served-routes.ts';

@Catch(NotFoundException)
export class UnservedFilter implements ExceptionFilter {
  readonly #routes: ServedRoutes;

  constructor(@Inject(ServedRoutes) routes: ServedRoutes) {
    this.#routes = routes;
  }

  catch(_exception: NotFoundException, host: ArgumentsHost): void {
    this.#routes.refuse(host.switchToHttp().getRequest(), host.switchToHttp().getResponse());
  }
}
