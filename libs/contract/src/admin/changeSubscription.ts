import { admin } from '../families/admin.ts';
import {
  endpointAddress,
  eventNames,
  exampleSubscription,
  filters,
  newSecret,
  shownSubscription,
} from '../fields/subscription.ts';
import { identity, object, optional } from '../values.ts';

/** Changes the given fields and keeps the others; an empty list removes a filter (R-T8). */
export const changeSubscription = admin('changeSubscription', {
  route: 'PATCH subscriptions/{id}',
  input: object({
    id: identity,
    endpoint: optional(endpointAddress),
    events: optional(eventNames),
    ...filters,
  }).transform(({ message_codes: messageCodes, ...given }) => ({ ...given, messageCodes })),
  output: shownSubscription.extend({ secret: newSecret }),
  examples: [
    {
      request: { id: 'sub-1', endpoint: 'grpcs://events.example.com', events: ['Push Sent', 'Push Opened'] },
      reply: exampleSubscription,
    },
    { request: { id: 'sub-1', enabled: true, platforms: ['IOS'] }, reply: exampleSubscription },
  ],
});
