import { Module } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import { servedBy } from '@tidings/rpc';
import { remoteServices, rpcControllers } from '@tidings/rpc/grpc';
import { ServiceProcess, storeModule } from '@tidings/service';
import type { Connection } from 'mongoose';
import { openWebhooks } from './webhooks.ts';

const WEBHOOKS = Symbol('webhooks');

@Module({
  imports: [storeModule('webhooks')],
  providers: [
    {
      provide: WEBHOOKS,
      inject: [ServiceProcess, getConnectionToken()],
      useFactory: async (process: ServiceProcess<'MONGO_URL', 'registry' | 'dispatcher'>, connection: Connection) => {
        const { tokens, applications, devices } = remoteServices('registry', await process.peer('registry'));
        const { sentValues } = remoteServices('dispatcher', await process.peer('dispatcher'));
        const { extraCa, proxy, allowPrivate, host, eventsPort: port } = process.configuration;
        return process.open(connection, (service) =>
          openWebhooks({
            ...service,
            devices,
            sentValues,
            tokens,
            applications,
            extraCa,
            proxy,
            allowPrivate,
            events: { host, port },
          }),
        );
      },
    },
  ],
  controllers: rpcControllers(WEBHOOKS, servedBy('webhooks')),
})
export class WebhooksModule {}
