import { Module } from '@nestjs/common';
import { type Devices, DevicesDefinition, OperationsDefinition, SubscriptionsDefinition } from '@tidings/rpc';
import { remote, rpcControllers } from '@tidings/rpc/grpc';
import { ServiceProcess } from '@tidings/service';
import { openWebhooks, type WebhooksService } from './webhooks.ts';

const WEBHOOKS = Symbol('webhooks');

/** What of the webhooks is served by gRPC. */
export const webhooksServices = { subscriptions: SubscriptionsDefinition, operations: OperationsDefinition };

/** The webhook streamer in a process of its own. */
@Module({
  providers: [
    {
      provide: WEBHOOKS,
      inject: [ServiceProcess],
      useFactory: async (process: ServiceProcess<'MONGO_URL', 'registry'>) => {
        const devices = remote<Devices>(DevicesDefinition, await process.peer('registry'));
        const { extraCa, allowPrivate } = process.configuration;
        return process.open('webhooks', (service) => openWebhooks({ ...service, devices, extraCa, allowPrivate }));
      },
    },
  ],
  controllers: rpcControllers<WebhooksService>(WEBHOOKS, webhooksServices),
})
export class WebhooksModule {}
