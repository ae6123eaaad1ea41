import { Module } from '@nestjs/common';
import { MessagesDefinition, OperationsDefinition } from '@tidings/rpc';
import { rpcControllers } from '@tidings/rpc/grpc';
import { ServiceProcess } from '@tidings/service';
import { openScheduler, type SchedulerService } from './scheduler.ts';

const SCHEDULER = Symbol('scheduler');

/** What of the scheduler is served by gRPC. */
export const schedulerServices = { messages: MessagesDefinition, operations: OperationsDefinition };

/** The scheduler in a process of its own. */
@Module({
  providers: [
    {
      provide: SCHEDULER,
      inject: [ServiceProcess],
      useFactory: (process: ServiceProcess<'MONGO_URL'>) =>
        process.open('scheduler', (parts) => openScheduler({ ...parts, publicUrl: process.publicUrl() })),
    },
  ],
  controllers: rpcControllers<SchedulerService>(SCHEDULER, schedulerServices),
})
export class SchedulerModule {}
