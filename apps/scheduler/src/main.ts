import { services } from '@tidings/runtime';
import { microservice, runService } from '@tidings/service';
import { SchedulerModule } from './scheduler.module.ts';

await runService({
  name: 'scheduler',
  ...services.scheduler,
  start: microservice(SchedulerModule, 'scheduler'),
});
