import { services } from '@tidings/runtime';
import { microservice, runService } from '@tidings/service';
import { WebhooksModule, webhooksServices } from './webhooks.module.ts';

await runService({
  name: 'webhooks',
  ...services.webhooks,
  start: microservice(WebhooksModule, Object.values(webhooksServices)),
});
