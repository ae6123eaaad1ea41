import { services } from '@tidings/runtime';
import { microservice, runService } from '@tidings/service';
import { AudienceJobsModule, audienceJobsServices } from './audience-jobs.module.ts';

await runService({
  name: 'audience-jobs',
  ...services['audience-jobs'],
  start: microservice(AudienceJobsModule, Object.values(audienceJobsServices)),
});
