import { services } from '@tidings/runtime';
import { type AnyService, microservice } from '@tidings/service';
import { SchedulerModule } from './scheduler.module.ts';

export const service = {
  name: 'scheduler',
  ...services.scheduler,
  start: microservice(SchedulerModule, 'scheduler'),
} satisfies AnyService;
