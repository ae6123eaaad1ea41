import { services } from '@tidings/runtime';
import { microservice, runService } from '@tidings/service';
import { AudienceJobsModule } from './audience-jobs.module.ts';

await runService({
  name: 'audience-jobs',
  ...services['audience-jobs'],
  start: microservice(AudienceJobsModule, 'audience-jobs'),
});
