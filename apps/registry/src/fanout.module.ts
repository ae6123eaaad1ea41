import { Module } from '@nestjs/common';
import { OperationsDefinition } from '@tidings/rpc';
import { rpcControllers } from '@tidings/rpc/grpc';
import { ServiceProcess } from '@tidings/service';
import { type FanoutService, openFanout } from './fanout/fanout.ts';

const FANOUT = Symbol('fanout');

/** The fan-out in a process of its own, on the registry's database. */
@Module({
  providers: [
    {
      provide: FANOUT,
      inject: [ServiceProcess],
      useFactory: (process: ServiceProcess<'MONGO_URL'>) => process.open('registry', openFanout),
    },
  ],
  controllers: rpcControllers<FanoutService>(FANOUT, { operations: OperationsDefinition }),
})
export class FanoutModule {}
