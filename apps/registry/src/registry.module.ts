import { Module } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import { servedBy } from '@tidings/rpc';
import { rpcControllers } from '@tidings/rpc/grpc';
import { ServiceProcess, storeModule } from '@tidings/service';
import type { Connection } from 'mongoose';
import { openRegistry } from './registry.ts';

const REGISTRY = Symbol('registry');

@Module({
  imports: [storeModule('registry')],
  providers: [
    {
      provide: REGISTRY,
      inject: [ServiceProcess, getConnectionToken()],
      useFactory: (process: ServiceProcess<'MONGO_URL'>, connection: Connection) =>
        process.open(connection, (parts) =>
          openRegistry({ ...parts, hasReplicas: true, quotas: process.configuration.quotas }),
        ),
    },
  ],
  controllers: rpcControllers(REGISTRY, servedBy('registry')),
})
export class RegistryModule {}
