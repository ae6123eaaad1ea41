import type { z } from 'zod';

export const countersOf = <Count extends z.ZodType>(count: Count) => ({
  sends: count.describe('Devices that the message was sent to.'),
  opens: count.describe('Devices that opened the message; e-mail also counts opens by machines.'),
  deliveries: count.describe('Devices that confirmed delivery; e-mails that were accepted and not returned.'),
  inbox_opens: count.describe('Devices that opened the message in the inbox.'),
  unshowable_sends: count.describe('Devices that the message was sent to with notifications turned off.'),
  errors: count.describe('Devices that sending failed for.'),
});
