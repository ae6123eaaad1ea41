import { Module } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import { type Devices, DevicesDefinition, OperationsDefinition, SubscriptionsDefinition } from '@tidings/rpc';
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
      useFactory: async (process: ServiceProcess<'MONGO_URL', 'registry'>, connection: Connection) => {
        const devices = remote<Devices>(DevicesDefinition, await process.peer('registry'));
        const { extraCa, allowPrivate } = process.configuration;
        return process.open(connection, (service) => openWebhooks({ ...service, devices, extraCa, allowPrivate }));
      },
    },
  ],
  controllers: rpcControllers<WebhooksService>(WEBHOOKS, webhooksServices),
})
export class WebhooksModule {}
