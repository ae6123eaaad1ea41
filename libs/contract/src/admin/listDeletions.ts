import { z } from 'zod';
import { admin } from '../families/admin.ts';
import { object } from '../values.ts';

export const listDeletions = admin('listDeletions', {
  description:
    'Lists the deleted applications whose data is being purged, by service. `settled` does not wait for them.',
  route: 'GET deletions',
  input: object({}),
  output: z.object({
    deletions: z
      .array(
        z.object({
          application: z.string().describe('Code of the deleted application.'),
          service: z.string().describe('The service, such as `registry`.'),
          devices: z
            .int()
            .nonnegative()
            .nullable()
            .describe('Devices that are not removed yet; null in services that do not own devices.'),
        }),
      )
      .describe('Deleted applications with data that is being purged: an entry for each service that has some.'),
  }),
  examples: [
    {
      request: {},
      reply: { deletions: [{ application: 'AAAAA-BBBBB', service: 'registry', devices: 12_345 }] },
    },
  ],
});
