import { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { identity, object, refusedBeside } from '../values.ts';
import { CONDITIONS } from './conditions.ts';
import { messageFields } from './message-fields.ts';
import { messageOf } from './notification.ts';
import { recipientFields, restrictionFields } from './recipients.ts';

const refused = refusedBeside('devices_filter');

const fields = object({
  devices_filter: identity.describe(
    'Expression of the segmentation language that selects the devices. The message goes to every application that ' +
      'it names in `A` or `AT`.',
  ),
  ...messageFields,
  ...restrictionFields,
  devices: refused.describe(recipientFields.devices.description!),
  users: refused.describe(recipientFields.users.description!),
  to: refused,
  filter: refused,
  filter_code: refused.describe(recipientFields.filter_code.description!),
  conditions: refused.describe(CONDITIONS),
});

export const createTargetedMessage = json13('createTargetedMessage', {
  description:
    'Sends one message to the devices that an expression of the segmentation language selects, in each application ' +
    'that the expression names in an application condition or a tag condition. The fields are those of a ' +
    'notification of createMessage.',
  scope: 'api',
  input: fields.transform((given, context) => {
    const recipients = { kind: 'expression', source: given.devices_filter } as const;
    return messageOf(given, { recipients, circle: given.geozone, platforms: given.platforms }, context);
  }),
  output: z.object({ messageCode: z.string().describe('Code of the message.') }),
  examples: [
    {
      request: {
        auth: 'token',
        devices_filter: 'A("A1B2C-3D4E5", ["iOS", "Android"]) * T("Level", GTE, 5)',
        send_date: 'now',
        content: { en: 'Hello', de: 'Hallo' },
        title: 'News',
        data: { article: 17 },
        transactionId: 'regulars-17',
      },
      reply: { messageCode: 'C3F8-C3863ED4-334AD4F1' },
    },
    {
      request: {
        devices_filter: 'AT("A1B2C-3D4E5", "City", EQ, "Bonn")',
        geozone: { lat: 50.73, lng: 7.1, range: 500 },
        content: 'Open until midnight',
      },
      reply: { messageCode: 'C3F8-C3863ED4-334AD4F2' },
    },
  ],
});
