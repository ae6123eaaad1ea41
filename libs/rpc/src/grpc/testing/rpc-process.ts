import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { ServiceDefinition } from '../../binding.ts';
import { rpcControllers } from '../rpc-controllers.ts';
import type { RpcAccess } from '../rpc-access.ts';
import { RpcServer, type RpcServerOptions } from '../server.ts';

export interface RpcProcess {
  readonly address: string;
  readonly port: number;
  close(): Promise<void>;
}

export const testAccess: RpcAccess = { masterKeys: [Buffer.alloc(32, 1)] };

export type Served = readonly (readonly [definition: ServiceDefinition, implementation: object])[];

@Module({})
class ServedModule {}

export async function serve(
  served: Served,
  options: Partial<Pick<RpcServerOptions, 'port' | 'drainMs' | 'metrics' | 'access'>> = {},
): Promise<RpcProcess> {
  const parts = served.map(([definition, implementation]) => ({
    token: Symbol(definition.name),
    definition,
    implementation,
  }));
  const module = {
    module: ServedModule,
    providers: parts.map(({ token, implementation }) => ({ provide: token, useValue: { served: implementation } })),
    controllers: parts.flatMap(({ token, definition }) => rpcControllers(token, [['served', definition]])),
  };
  const services = served.map(([definition]) => definition);
  const strategy = new RpcServer({ host: '127.0.0.1', port: 0, services, access: testAccess, ...options });
  const app = await NestFactory.createMicroservice(module, { strategy, logger: false, abortOnError: false });
  await app.listen();
  const { address } = strategy;
  return { address, port: Number(address.split(':')[1]), close: () => app.close() };
}
