import { microservice, runService } from '@tidings/service';
import { WebhooksModule, webhooksServices } from './webhooks.module.ts';

await runService({
  name: 'webhooks',
  required: ['MONGO_URL'],
  peers: ['registry'],
  start: microservice(WebhooksModule, Object.values(webhooksServices)),
});
