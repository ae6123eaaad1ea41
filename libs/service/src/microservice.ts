import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { ServerGrpc } from '@nestjs/microservices';
import { servedBy, servedByEveryProcess } from '@tidings/rpc';
import { rpcControllers } from '@tidings/rpc/grpc';
import { nestLogger, type ServiceName, withVariableName } from '@tidings/runtime';
import { processOperations } from './process-operations.ts';
import type { ProcessResources } from './process-resources.ts';
import type { Running } from './service.ts';
import { ServiceProcess } from './service-process.ts';

const OPERATIONS = Symbol('operations of this process');

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

@Module({})
class OperationsModule {}

/** Before {@link serveCalls}. */
export const rpcStrategy = ({ resources }: ServiceProcess, name: ServiceName): ServerGrpc =>
  resources.rpcServer.sharedWith(servedBy(name).map(([, definition]) => definition));

export const microservice =
  (module: Type, name: ServiceName) =>
  async (process: ServiceProcess): Promise<Running> => {
    const app = await NestFactory.createMicroservice(
      { module: RootModule, imports: [processModule(process), module] },
      { strategy: rpcStrategy(process, name), logger: nestLogger(process.resources.log), abortOnError: false },
    );
    await app.listen();
    return { addresses: {}, close: () => app.close() };
  };

/** Takes calls of the services that have started, and of `Operations`. */
export async function serveCalls(resources: ProcessResources): Promise<{ address: string; close(): Promise<void> }> {
  const { rpcServer: strategy, operations, log, configuration } = resources;
  const app = await NestFactory.createMicroservice(
    {
      module: OperationsModule,
      providers: [{ provide: OPERATIONS, useValue: { operations: processOperations(operations) } }],
      controllers: rpcControllers(OPERATIONS, servedByEveryProcess),
    },
    { strategy, logger: nestLogger(log), abortOnError: false },
  );
  const { host, grpcPort } = configuration;
  await app.listen().catch(withVariableName({ variable: 'GRPC_PORT', port: grpcPort, host }));
  return { address: strategy.address, close: () => app.close() };
}
