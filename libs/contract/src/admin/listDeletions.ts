import { z } from 'zod';
import { admin } from '../families/admin.ts';
import { object } from '../values.ts';

/** Lists the deleted applications whose data is being purged, by service (R-B2). `settled` does not wait for them. */
export const listDeletions = admin('listDeletions', {
  route: 'GET deletions',
  input: object({}),
  output: z.object({
    deletions: z.array(
      z.object({ application: z.string(), service: z.string(), devices: z.int().nonnegative().nullable() }),
    ),
  }),
  examples: [
    {
      request: {},
      reply: { deletions: [{ application: 'AAAAA-BBBBB', service: 'registry', devices: 12_345 }] },
    },
  ],
});
