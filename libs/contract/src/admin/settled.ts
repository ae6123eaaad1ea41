import { z } from 'zod';
import { admin } from '../families/admin.ts';
import { boolean, object, optional } from '../values.ts';

/** Waits until no work is in progress or due; a barrier for tests. Work for a later time does not count (architecture 8). */
export const settled = admin('settled', {
  route: 'GET settled',
  input: object({ brief: optional(boolean) }),
  output: z.object({ settled: z.literal(true) }),
  examples: [
    { request: {}, reply: { settled: true } },
    { request: { brief: true }, reply: { settled: true } },
  ],
});
