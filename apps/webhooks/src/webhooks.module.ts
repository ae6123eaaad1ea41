import { Module } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import {
  type Accounts,
  AccountsDefinition,
  type Devices,
  DevicesDefinition,
  OperationsDefinition,
  type SentValues,
  SentValuesDefinition,
  SubscriptionsDefinition,
} from '@tidings/rpc';
import { remote, rpcControllers } from '@tidings/rpc/grpc';
import { ServiceProcess, storeModule } from '@tidings/service';
import type { Connection } from 'mongoose';
import { openWebhooks, type WebhooksService } from './webhooks.ts';

const WEBHOOKS = Symbol('webhooks');

/** The gRPC services of webhooks. */
export const webhooksServices = { subscriptions: SubscriptionsDefinition, operations: OperationsDefinition };

/** The webhook streamer in a process of its own. */
@Module({
  imports: [storeModule('webhooks')],
  providers: [
    {
      provide: WEBHOOKS,
      inject: [ServiceProcess, getConnectionToken()],
      useFactory: async (process: ServiceProcess<'MONGO_URL', 'registry' | 'dispatcher'>, connection: Connection) => {
        const registry = await process.peer('registry');
        const devices = remote<Devices>(DevicesDefinition, registry);
        const sentValues = remote<SentValues>(SentValuesDefinition, await process.peer('dispatcher'));
        const accounts = remote<Accounts>(AccountsDefinition, registry);
        const { extraCa, proxy, allowPrivate, host, eventsPort: port } = process.configuration;
        return process.open(connection, (service) =>
          openWebhooks({
            ...service,
            devices,
            sentValues,
            accounts,
            extraCa,
            proxy,
            allowPrivate,
            events: { host, port },
          }),
        );
      },
    },
  ],
  controllers: rpcControllers<WebhooksService>(WEBHOOKS, webhooksServices),
})
export class WebhooksModule {}
