import { admin } from '../families/admin.ts';
import {
  endpointAddress,
  eventNames,
  exampleSubscription,
  filters,
  format,
  newSecret,
  shownSubscription,
  subscriptionId,
} from '../fields/subscription.ts';
import { object, optional } from '../values.ts';

const PLATFORMS = 'Limits events to these platforms, by name such as `IOS`; empty: all.';
const CAMPAIGNS = 'Limits events to messages of these campaigns, by code; empty: all.';

export const changeSubscription = admin('changeSubscription', {
  description: 'Changes the given fields and keeps the others; an empty list removes a filter.',
  route: 'PATCH subscriptions/{id}',
  input: object({
    id: subscriptionId,
    endpoint: optional(endpointAddress),
    format,
    events: optional(eventNames),
    ...filters,
    platforms: filters.platforms.describe(PLATFORMS),
    campaigns: filters.campaigns.describe(CAMPAIGNS),
  }).transform(({ message_codes: messageCodes, ...given }) => ({ ...given, messageCodes })),
  output: shownSubscription.extend({
    platforms: shownSubscription.shape.platforms.describe(PLATFORMS),
    campaigns: shownSubscription.shape.campaigns.describe(CAMPAIGNS),
    secret: newSecret.describe(
      'Signs events, if the change gave the subscription its first `http://` or `https://` endpoint; returned only ' +
        'here.',
    ),
  }),
  examples: [
    {
      request: { id: 'sub-1', endpoint: 'grpcs://events.example.com', events: ['Push Sent', 'Push Opened'] },
      reply: exampleSubscription,
    },
    { request: { id: 'sub-1', enabled: true, platforms: ['IOS'] }, reply: exampleSubscription },
  ],
});
