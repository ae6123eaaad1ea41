import { Module } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import { MessagesDefinition, OperationsDefinition, type Segments, SegmentsDefinition } from '@tidings/rpc';
import { remote, rpcControllers } from '@tidings/rpc/grpc';
import { ServiceProcess, storeModule } from '@tidings/service';
import type { Connection } from 'mongoose';
import { openScheduler, type SchedulerService } from './scheduler.ts';

const SCHEDULER = Symbol('scheduler');

/** The gRPC services of the scheduler. */
export const schedulerServices = { messages: MessagesDefinition, operations: OperationsDefinition };

/** The scheduler in a process of its own. */
@Module({
  imports: [storeModule('scheduler')],
  providers: [
    {
      provide: SCHEDULER,
      inject: [ServiceProcess, getConnectionToken()],
      useFactory: async (process: ServiceProcess<'MONGO_URL', 'registry'>, connection: Connection) => {
        const segments = remote<Segments>(SegmentsDefinition, await process.peer('registry'));
        return process.open(connection, (parts) =>
          openScheduler({ ...parts, segments, publicUrl: process.publicUrl() }),
        );
      },
    },
  ],
  controllers: rpcControllers<SchedulerService>(SCHEDULER, schedulerServices),
})
export class SchedulerModule {}
