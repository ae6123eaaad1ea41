import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyContextConfig, FastifyRequest, RouteOptions } from 'fastify';
import { Fault } from '@tidings/kernel';
import type { Envelope } from '../envelopes/reply.ts';
import type { PendingRequest } from '../limits/pending-requests.ts';
import type { AuthorizedCall } from './authorize-call.ts';
import type { NamedMethod } from './families.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True for routes of the API, missing for those of other modules. */
    isOfApi?: true;
  }
}

/** The configuration of the API's routes. */
export const API: FastifyContextConfig = { isOfApi: true };

export const isOfApi = ({ config }: RouteOptions): boolean => config?.isOfApi === true;

/** A route of the gateway. */
export interface ApiRoute {
  readonly verb: string;
  /** The path, with `{name}` for one segment. */
  readonly pattern: string;
  readonly envelope: Envelope;
  /** Undefined where the route is no method of the API. */
  readonly named: NamedMethod | undefined;
}

/** A request that a route of the gateway serves. */
export interface ServedRequest extends FastifyRequest {
  route: ApiRoute;
  pending: PendingRequest;
  /** Set by the guard of the methods. */
  authorized: AuthorizedCall;
  /** Set by the filter. */
  fault: Fault | undefined;
}

/** The method that a request calls. */
export function namedMethodOf({ route }: ServedRequest): NamedMethod {
  if (!route.named) throw Fault.bug(`${route.pattern} is no method of the API`);
  return route.named;
}

/** The request, as a parameter of a controller. */
export const Served = createParamDecorator((_data: unknown, execution: ExecutionContext): ServedRequest =>
  execution.switchToHttp().getRequest(),
);
