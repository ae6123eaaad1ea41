import 'reflect-metadata';
import { Controller, Inject, type InjectionToken, Logger, type Type } from '@nestjs/common';
import { GrpcMethod, RpcException } from '@nestjs/microservices';
import { Fault } from '@tidings/kernel';
import { from } from 'rxjs';
import { type Call, inProcess, type ServiceDefinition } from '../binding.ts';
import type { NamedDefinition } from '../rpc-services.ts';
import { statusOfFault } from './status.ts';

const log = new Logger('gRPC');
const SERVICE = Symbol('service');

function exceptionOf(thrown: unknown): RpcException {
  const fault = Fault.from(thrown);
  if (fault.kind === 'bug') log.error(fault);
  return new RpcException(statusOfFault(fault));
}

const unary =
  (call: Call): Call =>
  async (request) => {
    try {
      return await call(request);
    } catch (error) {
      throw exceptionOf(error);
    }
  };

async function* answered(stream: AsyncIterable<unknown>): AsyncIterable<unknown> {
  try {
    yield* stream;
  } catch (error) {
    throw exceptionOf(error);
  }
}

const stream =
  (call: Call): Call =>
  (request) =>
    from(answered(call(request) as AsyncIterable<unknown>));

/** Streams run ahead of a slow caller: only for results of bounded size. */
export const rpcControllers = (token: InjectionToken, served: readonly NamedDefinition[]): Type[] =>
  served.map(([member, definition]) => controllerOf(token, member, definition));

function controllerOf(token: InjectionToken, member: string, definition: ServiceDefinition): Type {
  @Controller()
  class RpcController {
    readonly [SERVICE]: Record<string, Call>;

    constructor(@Inject(token) provided: Record<string, object>) {
      this[SERVICE] = inProcess(definition, provided[member]!) as Record<string, Call>;
    }
  }
  const prototype = RpcController.prototype as unknown as Record<string, Call>;
  for (const [method, { name, responseStream }] of Object.entries(definition.methods)) {
    const answer = responseStream ? stream : unary;
    prototype[method] = function (this: RpcController, request) {
      return answer(this[SERVICE][method]!)(request);
    };
    GrpcMethod(definition.fullName, name)(prototype, method, Object.getOwnPropertyDescriptor(prototype, method)!);
  }
  return RpcController;
}
