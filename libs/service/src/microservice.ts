import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { servedBy } from '@tidings/rpc';
import { RpcServer } from '@tidings/rpc/grpc';
import { nestLogger, type ServiceName, withVariableName } from '@tidings/runtime';
import type { Running } from './run-service.ts';
import { ServiceProcess } from './service-process.ts';

@Module({})
class ProcessModule {}

export const processModule = (process: ServiceProcess): DynamicModule => ({
  module: ProcessModule,
  global: true,
  providers: [{ provide: ServiceProcess, useValue: process }],
  exports: [ServiceProcess],
});

@Module({})
class RootModule {}

export function rpcServer(
  { configuration: { host, grpcPort }, rpcAccess, metrics }: ServiceProcess,
  name: ServiceName,
): RpcServer {
  const services = servedBy(name).map(([, definition]) => definition);
  return new RpcServer({ host, port: grpcPort, services, access: rpcAccess, metrics });
}

export const microservice =
  (module: Type, name: ServiceName) =>
  async (process: ServiceProcess): Promise<Running> => {
    const strategy = rpcServer(process, name);
    const app = await NestFactory.createMicroservice(
      { module: RootModule, imports: [processModule(process), module] },
      { strategy, logger: nestLogger(process.log), abortOnError: false },
    );
    const { host, grpcPort } = process.configuration;
    await app.listen().catch(withVariableName({ variable: 'GRPC_PORT', port: grpcPort, host }));
    return { addresses: { grpc: strategy.address }, close: () => app.close() };
  };
