import { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { hwid, userId } from '../fields/device.ts';
import { integer, object, optional, text } from '../values.ts';

/** More than any inbox has. */
const MOST = 1_000_000;

/** The entry of a message in an inbox (R-J5). */
const inboxMessage = z.object({
  inbox_id: z.string(),
  order: z.string(),
  rt: z.string(),
  send_date: z.string(),
  title: z.string(),
  text: z.string(),
  action_type: z.int(),
  action_params: z.string(),
  image: z.string(),
  status: z.int(),
  hash: z.string(),
});

/**
 * Lists the inbox of a user, newest first; `next` continues it, and an empty page ends it (R-J3). Deleted and expired entries are left out (R-J4).
 * No token is required (R-J1). Spec J.
 */
export const getInboxMessages = json13('getInboxMessages', {
  scope: 'none',
  input: object({
    application: applicationCode,
    userId,
    hwid: optional(hwid),
    last_code: optional(text.refine((code) => code === '' || /^\d{1,19}$/.test(code), 'must be an integer')),
    count: optional(
      integer
        .refine((value) => value >= 0, 'must not be negative')
        .transform((value) => Math.min(value, MOST))
        .meta({ minimum: 0 }),
    ),
    device_type: optional(integer),
  }),
  output: z.object({
    messages: z.array(inboxMessage),
    next: z.string(),
    deleted: z.array(z.string()),
    new_inbox: z.int(),
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
