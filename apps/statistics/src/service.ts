import { services } from '@tidings/runtime';
import { type AnyService, microservice } from '@tidings/service';
import { StatisticsModule } from './statistics.module.ts';

export const service = {
  name: 'statistics',
  ...services.statistics,
  start: microservice(StatisticsModule, 'statistics'),
} satisfies AnyService;
