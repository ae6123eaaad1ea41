import type { KeyObject } from 'node:crypto';
import { Module } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import { servedBy } from '@tidings/rpc';
import { remoteServices, type Replicas, rpcControllers } from '@tidings/rpc/grpc';
import { ServiceProcess, storeModule } from '@tidings/service';
import type { Connection } from 'mongoose';
import { openAudienceJobs } from './audience-jobs.ts';
import { deviceLogOf, hwidHashOf } from '@tidings/audience';

const AUDIENCE_JOBS = Symbol('audience-jobs');
const BATCH_DEADLINE_MS = 30_000;

function registryClients(registry: Replicas, deviceKey: KeyObject) {
  const { tags, devices, segments } = remoteServices('registry', registry, {
    devices: {
      deadlineMs: BATCH_DEADLINE_MS,
      keyOf: {
        applyBatch: ({ account, entries: [first] }) => first && deviceLogOf(hwidHashOf(deviceKey, account, first.hwid)),
      },
    },
    segments: { deadlineMs: BATCH_DEADLINE_MS },
  });
  return { tags, devices, segments, replicaOf: (log: string) => registry.ownerOf(() => log) };
}

@Module({
  imports: [storeModule('audience_jobs')],
  providers: [
    {
      provide: AUDIENCE_JOBS,
      inject: [ServiceProcess, getConnectionToken()],
      useFactory: async (process: ServiceProcess<'MONGO_URL', 'registry'>, connection: Connection) => {
        const registry = await process.peer('registry');
        return process.open(connection, (parts) =>
          openAudienceJobs({ ...parts, ...registryClients(registry, parts.keys.identity.device) }),
        );
      },
    },
  ],
  controllers: rpcControllers(AUDIENCE_JOBS, servedBy('audience-jobs')),
})
export class AudienceJobsModule {}
