import { z } from 'zod';
import { admin } from '../families/admin.ts';
import { identity, object } from '../values.ts';

export const stopMessage = admin('stopMessage', {
  description:
    'Ends the sending of a message: from a second later on no further push reaches a provider, and devices that ' +
    'were not sent to end as errors INTERNAL_ERROR, `stopped`. A scheduled message is cancelled. A message that ' +
    'was stopped before, or is complete, stays as it is. 404 if the message is unknown.',
  route: 'POST messages/{code}/stop',
  input: object({ code: identity.describe('Code of the message, hidden ones included.') }),
  output: z.object({
    status: z
      .string()
      .describe('`PROCESSING` until every device has its final outcome; `DONE`, `FAIL` or `CANCELED` afterwards.'),
    stopped_at: z
      .string()
      .nullable()
      .describe('Time of the first stop: RFC 3339, in UTC; null if the message ended without one.'),
  }),
  examples: [
    {
      request: { code: 'C3F8-C3863ED4-334AD4F1' },
      reply: { status: 'PROCESSING', stopped_at: '2026-01-15T12:00:00Z' },
    },
  ],
});
