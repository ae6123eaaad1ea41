import { microservice, runService } from '@tidings/service';
import { StatisticsModule, statisticsServices } from './statistics.module.ts';

await runService({
  name: 'statistics',
  required: ['MONGO_URL'],
  peers: [],
  start: microservice(StatisticsModule, Object.values(statisticsServices)),
});
