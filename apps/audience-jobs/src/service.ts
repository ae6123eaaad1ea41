import { services } from '@tidings/runtime';
import { type AnyService, microservice } from '@tidings/service';
import { AudienceJobsModule } from './audience-jobs.module.ts';

export const service = {
  name: 'audience-jobs',
  ...services['audience-jobs'],
  start: microservice(AudienceJobsModule, 'audience-jobs'),
} satisfies AnyService;
