export { openWebhooks, type WebhooksService } from './webhooks.ts';
