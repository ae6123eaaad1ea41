import { Module } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import { DeadLettersDefinition, OperationsDefinition, StatisticsDefinition } from '@tidings/rpc';
import { rpcControllers } from '@tidings/rpc/grpc';
import { ServiceProcess, storeModule } from '@tidings/service';
import type { Connection } from 'mongoose';
import { openStatistics, type StatisticsService } from './statistics.ts';

const STATISTICS = Symbol('statistics');

/** The gRPC services of statistics. */
export const statisticsServices = {
  statistics: StatisticsDefinition,
  deadLetters: DeadLettersDefinition,
  operations: OperationsDefinition,
};

/** Statistics in a process of its own. */
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
  controllers: rpcControllers<StatisticsService>(STATISTICS, statisticsServices),
})
export class StatisticsModule {}
