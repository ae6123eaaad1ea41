import { Module } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import { servedBy } from '@tidings/rpc';
import { remoteServices, rpcControllers } from '@tidings/rpc/grpc';
import { ServiceProcess, storeModule } from '@tidings/service';
import type { Connection } from 'mongoose';
import { openScheduler } from './scheduler.ts';

const SCHEDULER = Symbol('scheduler');

/** The scheduler in a process of its own. */
@Module({
  imports: [storeModule('scheduler')],
  providers: [
    {
      provide: SCHEDULER,
      inject: [ServiceProcess, getConnectionToken()],
      useFactory: async (process: ServiceProcess<'MONGO_URL', 'registry'>, connection: Connection) => {
        const { segments } = remoteServices('registry', await process.peer('registry'));
        return process.open(connection, (parts) =>
          openScheduler({ ...parts, segments, publicUrl: process.publicUrl() }),
        );
      },
    },
  ],
  controllers: rpcControllers(SCHEDULER, servedBy('scheduler')),
})
export class SchedulerModule {}
