import { services } from '@tidings/runtime';
import { microservice, runService } from '@tidings/service';
import { StatisticsModule, statisticsServices } from './statistics.module.ts';

await runService({
  name: 'statistics',
  ...services.statistics,
  start: microservice(StatisticsModule, Object.values(statisticsServices)),
});
