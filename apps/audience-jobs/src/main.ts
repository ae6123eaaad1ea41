import { microservice, runService } from '@tidings/service';
import { AudienceJobsModule, audienceJobsServices } from './audience-jobs.module.ts';

await runService({
  name: 'audience-jobs',
  required: ['MONGO_URL'],
  peers: ['registry'],
  start: microservice(AudienceJobsModule, Object.values(audienceJobsServices)),
});
