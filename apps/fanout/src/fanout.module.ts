import { Module } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import { servedBy } from '@tidings/rpc';
import { rpcControllers } from '@tidings/rpc/grpc';
import { deploymentPlatformsOf } from '@tidings/runtime';
import { ServiceProcess, storeModule } from '@tidings/service';
import type { Connection } from 'mongoose';
import { openFanout } from './fanout.ts';

const FANOUT = Symbol('fanout');

@Module({
  imports: [storeModule('registry')],
  providers: [
    {
      provide: FANOUT,
      inject: [ServiceProcess, getConnectionToken()],
      useFactory: (process: ServiceProcess<'MONGO_URL'>, connection: Connection) =>
        process.open(connection, (parts) =>
          openFanout({ ...parts, deploymentPlatforms: deploymentPlatformsOf(process.configuration.providers) }),
        ),
    },
  ],
  controllers: rpcControllers(FANOUT, servedBy('fanout')),
})
export class FanoutModule {}
