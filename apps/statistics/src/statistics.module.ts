import { Module } from '@nestjs/common';
import { OperationsDefinition, StatisticsDefinition } from '@tidings/rpc';
import { rpcControllers } from '@tidings/rpc/grpc';
import { ServiceProcess } from '@tidings/service';
import { openStatistics, type StatisticsService } from './statistics.ts';

const STATISTICS = Symbol('statistics');

/** What of the statistics is served by gRPC. */
export const statisticsServices = { statistics: StatisticsDefinition, operations: OperationsDefinition };

/** The statistics in a process of their own. */
@Module({
  providers: [
    {
      provide: STATISTICS,
      inject: [ServiceProcess],
      useFactory: (process: ServiceProcess<'MONGO_URL'>) => process.open('statistics', openStatistics),
    },
  ],
  controllers: rpcControllers<StatisticsService>(STATISTICS, statisticsServices),
})
export class StatisticsModule {}
