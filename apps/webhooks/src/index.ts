export { openWebhooks, type WebhooksDeps, type WebhooksService } from './webhooks.ts';
