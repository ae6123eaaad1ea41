import { services } from '@tidings/runtime';
import { type AnyService, microservice } from '@tidings/service';
import { WebhooksModule } from './webhooks.module.ts';

export const service = {
  name: 'webhooks',
  ...services.webhooks,
  start: microservice(WebhooksModule, 'webhooks'),
} satisfies AnyService;
