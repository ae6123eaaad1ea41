import { Module } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import { servedBy } from '@tidings/rpc';
import { remoteServices, rpcControllers } from '@tidings/rpc/grpc';
import { ServiceProcess, storeModule } from '@tidings/service';
import type { Connection } from 'mongoose';
import { openScheduler } from './scheduler.ts';

const SCHEDULER = Symbol('scheduler');

/** The deadline of a request is longer: its caller learns that nothing was accepted. */
const ASK_MS = 8_000;

@Module({
  imports: [storeModule('scheduler')],
  providers: [
    {
      provide: SCHEDULER,
      inject: [ServiceProcess, getConnectionToken()],
      useFactory: async (process: ServiceProcess<'MONGO_URL', 'registry'>, connection: Connection) => {
        const registry = remoteServices('registry', await process.peer('registry'), {
          audiences: { deadlineMs: ASK_MS },
          presets: { deadlineMs: ASK_MS },
          devices: { deadlineMs: ASK_MS },
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
