import { type CallHandler, type ExecutionContext, Inject, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { map, type Observable } from 'rxjs';
import type { Reply } from '../envelopes/reply.ts';
import { ServedRoutes } from './served-routes.ts';

@Injectable()
export class ReplyInterceptor implements NestInterceptor<Reply> {
  readonly #routes: ServedRoutes;

  constructor(@Inject(ServedRoutes) routes: ServedRoutes) {
    this.#routes = routes;
  }

  intercept(execution: ExecutionContext, next: CallHandler<Reply>): Observable<unknown> {
    const response = execution.switchToHttp().getResponse<FastifyReply>();
    return next.handle().pipe(map((reply) => this.#routes.bodyOf(response, reply)));
  }
}
