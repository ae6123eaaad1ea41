import { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { hwid, userId } from '../fields/device.ts';
import { integer, object, optional, text } from '../values.ts';

/** More than any inbox has. */
const MOST = 1_000_000;

const inboxMessage = z.object({
  inbox_id: z.string().describe('Identifies the message.'),
  order: z
    .string()
    .describe('Place in the inbox, and the code of the entry for inboxStatus. A newer message has a larger one.'),
  rt: z.string().describe('When the message leaves the inbox, in Unix seconds.'),
  send_date: z.string().describe('When the message was saved to the inbox, in Unix seconds.'),
  title: z.string().describe('Title; empty if there is none.'),
  text: z.string().describe('Text, in the language of the device that the user used last.'),
  action_type: z.int().describe('Target of a tap: 0 nothing, 1 a link, 2 rich media.'),
  action_params: z
    .string()
    .describe(
      'JSON object with those of the payload that apply: link `l`, rich media `rm`, data `u`, `meta_data` in `md`, ' +
        'statistics hash `p`.',
    ),
  image: z.string().describe('URL of the picture; empty if there is none.'),
  status: z.int().describe('1 delivered, 2 read, 3 opened.'),
  hash: z.string().describe('Statistics hash of the message.'),
});

export const getInboxMessages = json13('getInboxMessages', {
  description:
    'Lists the inbox of a user, newest first; `next` continues it, and an empty page ends it. Deleted and expired ' +
    'entries are left out. No token is required.',
  scope: 'none',
  input: object({
    application: applicationCode,
    userId: userId.describe('The user whose inbox it is; the hwid of a device without a user ID.'),
    hwid: optional(hwid).describe(
      'The calling device. If it belongs to the user, messages that it got before it had a user ID are listed, too.',
    ),
    last_code: optional(text.refine((code) => code === '' || /^\d{1,19}$/.test(code), 'must be an integer')).describe(
      '`next` of the page before; empty or left out for the first page.',
    ),
    count: optional(
      integer
        .refine((value) => value >= 0, 'must not be negative')
        .transform((value) => Math.min(value, MOST))
        .meta({ minimum: 0 }),
    ).describe('Maximum number of messages; 0 or left out means all.'),
    device_type: optional(integer).describe('Platform of the calling device; has no effect.'),
  }),
  output: z.object({
    messages: z.array(inboxMessage).describe('The page, newest message first.'),
    next: z.string().describe('Pass it as `last_code` for the next page. An empty page is the last one.'),
    deleted: z.array(z.string()).describe('Orders of messages that an operator deleted.'),
    new_inbox: z.int().describe('Number of messages with status 1, on all pages.'),
  }),
  examples: [
    {
      request: { application: 'A1B2C-3D4E5', userId: 'user-1', hwid: 'phone-1', last_code: '', count: 20 },
      reply: {
        messages: [
          {
            inbox_id: 'C3F8-C3863ED4-334AD4F1',
            order: '811304624128000',
            rt: '1768435201',
            send_date: '1768392000',
            title: 'News',
            text: 'Hello',
            action_type: 1,
            action_params: '{"l":"https://example.com/17","p":"P_0_3Gq8b2K1a_3f2-3e0r9w-1sd0rN_000000000001a"}',
            image: 'https://example.com/17.png',
            status: 1,
            hash: 'P_0_3Gq8b2K1a_3f2-3e0r9w-1sd0rN_000000000001a',
          },
        ],
        next: '811304624128000',
        deleted: ['811304624124000'],
        new_inbox: 1,
      },
    },
  ],
});
