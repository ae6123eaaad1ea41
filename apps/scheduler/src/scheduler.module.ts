import { Module } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import {
  type Audiences,
  AudiencesDefinition,
  type Devices,
  DevicesDefinition,
  MessagesDefinition,
  OperationsDefinition,
  type Presets,
  PresetsDefinition,
  type Segments,
  SegmentsDefinition,
} from '@tidings/rpc';
import { remote, rpcControllers } from '@tidings/rpc/grpc';
import { ServiceProcess, storeModule } from '@tidings/service';
import type { Connection } from 'mongoose';
import { openScheduler, type SchedulerService } from './scheduler.ts';

const SCHEDULER = Symbol('scheduler');

/** Shorter than the deadline of a request: its caller learns that nothing was accepted. */
const ASK_MS = 8_000;

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
        const replicas = await process.peer('registry');
        const registry = {
          audiences: remote<Audiences>(AudiencesDefinition, replicas, { deadlineMs: ASK_MS }),
          presets: remote<Presets>(PresetsDefinition, replicas, { deadlineMs: ASK_MS }),
          devices: remote<Devices>(DevicesDefinition, replicas, { deadlineMs: ASK_MS }),
          segments: remote<Segments>(SegmentsDefinition, replicas),
        };
        return process.open(connection, (parts) =>
          openScheduler({ ...parts, registry, publicUrl: process.publicUrl() }),
        );
      },
    },
  ],
  controllers: rpcControllers<SchedulerService>(SCHEDULER, schedulerServices),
})
export class SchedulerModule {}
