import { microservice, runService } from '@tidings/service';
import { SchedulerModule, schedulerServices } from './scheduler.module.ts';

await runService({
  name: 'scheduler',
  required: ['MONGO_URL'],
  peers: [],
  start: microservice(SchedulerModule, Object.values(schedulerServices)),
});
