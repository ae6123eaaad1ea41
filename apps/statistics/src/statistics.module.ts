import { Module } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import { servedBy } from '@tidings/rpc';
import { rpcControllers } from '@tidings/rpc/grpc';
import { ServiceProcess, storeModule } from '@tidings/service';
import type { Connection } from 'mongoose';
import { openStatistics } from './statistics.ts';

const STATISTICS = Symbol('statistics');

@Module({
  imports: [storeModule('statistics')],
  providers: [
    {
      provide: STATISTICS,
      inject: [ServiceProcess, getConnectionToken()],
      useFactory: (process: ServiceProcess<'MONGO_URL'>, connection: Connection) =>
        process.open(connection, openStatistics),
    },
  ],
  controllers: rpcControllers(STATISTICS, servedBy('statistics')),
})
export class StatisticsModule {}
