import { z } from 'zod';
import { admin } from '../families/admin.ts';
import { account } from '../fields/account.ts';
import { endpoint, eventNames, exampleSecret, filters, format, newSecret } from '../fields/subscription.ts';
import { object, optional } from '../values.ts';

export const createSubscription = admin('createSubscription', {
  description: 'Subscribes an endpoint to events of an account.',
  route: 'POST subscriptions',
  status: 201,
  input: object({
    endpoint: endpoint,
    format,
    events: eventNames,
    ...filters,
    account: optional(account),
  }).transform(({ message_codes: messageCodes, ...given }) => ({ ...given, messageCodes })),
  output: z.object({
    id: z.string().describe('Identifies the new subscription.'),
    secret: newSecret.describe('Signs events to an `http://` or `https://` endpoint; returned only here.'),
  }),
  examples: [
    {
      request: { endpoint: 'grpc://events.example.com:9000', events: ['Push Sent', 'Push Delivered', 'Push Opened'] },
      reply: { id: 'sub-1' },
    },
    {
      request: { endpoint: 'https://events.example.com/tidings', events: ['Email Bounced', 'Email Complained'] },
      reply: { id: 'sub-3', secret: exampleSecret },
    },
    {
      request: { endpoint: 'kafka://shop-events', format: 'json', events: ['Push Sent', 'Push Opened'] },
      reply: { id: 'sub-4' },
    },
    {
      request: {
        endpoint: 'grpcs://events.example.com/my.own.WebhookService/StreamWebhookEvents',
        events: ['Push Opened'],
        applications: ['A1B2C-3D4E5'],
        platforms: ['IOS'],
        campaigns: ['C1B2C-3D4E5'],
        message_codes: ['C3F8-C3863ED4-334AD4F1'],
        enabled: false,
        account: 'acc-2',
      },
      reply: { id: 'sub-2' },
    },
  ],
});
