import { Module } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import {
  AccountsDefinition,
  AudiencesDefinition,
  DevicesDefinition,
  GeozonesDefinition,
  InboxDefinition,
  OperationsDefinition,
  PlansDefinition,
  PresetsDefinition,
  SegmentsDefinition,
} from '@tidings/rpc';
import { rpcControllers } from '@tidings/rpc/grpc';
import { ServiceProcess, storeModule } from '@tidings/service';
import type { Connection } from 'mongoose';
import { openRegistry, type RegistryService } from './registry.ts';

const REGISTRY = Symbol('registry');

/** The gRPC services of the registry. */
export const registryServices = {
  accounts: AccountsDefinition,
  audiences: AudiencesDefinition,
  devices: DevicesDefinition,
  presets: PresetsDefinition,
  segments: SegmentsDefinition,
  geozones: GeozonesDefinition,
  inbox: InboxDefinition,
  plans: PlansDefinition,
  operations: OperationsDefinition,
};

/** The registry in a process of its own. */
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
  controllers: rpcControllers<RegistryService>(REGISTRY, registryServices),
})
export class RegistryModule {}
