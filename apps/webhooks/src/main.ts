import { services } from '@tidings/runtime';
import { microservice, runService } from '@tidings/service';
import { WebhooksModule } from './webhooks.module.ts';

await runService({
  name: 'webhooks',
  ...services.webhooks,
  start: microservice(WebhooksModule, 'webhooks'),
});
