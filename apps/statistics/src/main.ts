import { services } from '@tidings/runtime';
import { microservice, runService } from '@tidings/service';
import { StatisticsModule } from './statistics.module.ts';

await runService({
  name: 'statistics',
  ...services.statistics,
  start: microservice(StatisticsModule, 'statistics'),
});
