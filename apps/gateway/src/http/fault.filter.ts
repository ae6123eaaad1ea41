import { type ArgumentsHost, Catch, type ExceptionFilter, Inject } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Fault } from '@tidings/kernel';
import { RequestRunner } from './request-runner.ts';
import type { ServedRequest } from './served-request.ts';
import { ServedRoutes } from './served-routes.ts';

@Catch()
export class FaultFilter implements ExceptionFilter {
  readonly #runner: RequestRunner;
  readonly #routes: ServedRoutes;

  constructor(@Inject(RequestRunner) runner: RequestRunner, @Inject(ServedRoutes) routes: ServedRoutes) {
    this.#runner = runner;
    this.#routes = routes;
  }

  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<ServedRequest>();
    const response = host.switchToHttp().getResponse<FastifyReply>();
    request.fault = Fault.from(thrown);
    // The request has been answered at its deadline.
    if (response.sent) return;
    const reply = this.#runner.faultReply(request.route, request.fault);
    void response.send(this.#routes.bodyOf(response, reply));
  }
}
