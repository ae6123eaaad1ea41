import { Module } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import { servedBy } from '@tidings/rpc';
import { remoteServices, rpcControllers } from '@tidings/rpc/grpc';
import { ServiceProcess, storeModule } from '@tidings/service';
import type { Connection } from 'mongoose';
import { openScheduler } from './scheduler.ts';

const SCHEDULER = Symbol('scheduler');

/** The deadline of a request is longer. */
const REGISTRY_TIMEOUT_MS = 8_000;

@Module({
  imports: [storeModule('scheduler')],
  providers: [
    {
      provide: SCHEDULER,
      inject: [ServiceProcess, getConnectionToken()],
      useFactory: async (process: ServiceProcess<'MONGO_URL', 'registry'>, connection: Connection) => {
        const registry = remoteServices('registry', await process.peer('registry'), {
          audiences: { deadlineMs: REGISTRY_TIMEOUT_MS },
          presets: { deadlineMs: REGISTRY_TIMEOUT_MS },
          devices: { deadlineMs: REGISTRY_TIMEOUT_MS },
        });
        return process.open(connection, (parts) =>
          openScheduler({ ...parts, registry, publicUrl: process.publicUrl() }),
        );
      },
    },
  ],
  controllers: rpcControllers(SCHEDULER, servedBy('scheduler')),
})
export class SchedulerModule {}
