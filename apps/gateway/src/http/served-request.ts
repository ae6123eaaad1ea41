import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyContextConfig, FastifyRequest, RouteOptions } from 'fastify';
import { Fault } from '@tidings/kernel';
import type { Envelope } from '../envelopes/reply.ts';
import type { PendingRequest } from '../limits/pending-requests.ts';
import type { AuthorizedCall } from './authorize-call.ts';
import type { NamedMethod } from './families.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Missing for routes of other modules. */
    isOfApi?: true;
  }
}

export const API: FastifyContextConfig = { isOfApi: true };

export const isOfApi = ({ config }: RouteOptions): boolean => config?.isOfApi === true;

export interface ApiRoute {
  readonly verb: string;
  readonly pattern: string;
  readonly envelope: Envelope;
  readonly named: NamedMethod | undefined;
}

export interface ServedRequest extends FastifyRequest {
  route: ApiRoute;
  pending: PendingRequest;
  authorized: AuthorizedCall;
  fault: Fault | undefined;
}

export function namedMethodOf({ route }: ServedRequest): NamedMethod {
  if (!route.named) throw Fault.bug(`${route.pattern} is no method of the API`);
  return route.named;
}

export const Served = createParamDecorator((_data: unknown, execution: ExecutionContext): ServedRequest =>
  execution.switchToHttp().getRequest(),
);
