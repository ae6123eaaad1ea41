import { z } from 'zod';
import { admin } from '../families/admin.ts';
import { boolean, object, optional } from '../values.ts';

export const settled = admin('settled', {
  description:
    'Answers 200 if no work is in progress or due, otherwise 409 with a line for each open item: a barrier for ' +
    'tests, which repeat it. Work for a later time does not count, nor does the purge of deleted applications, which ' +
    'may take minutes.',
  route: 'GET settled',
  input: object({
    brief: optional(boolean).describe(
      'Whether a 409 names the open items of one service only. A busy system then answers after a fraction of the ' +
        'work: services are no longer queried once one has open items.',
    ),
  }),
  output: z.object({
    settled: z
      .literal(true)
      .describe(
        'Always true: no work is in progress. Work for a later time, such as a schedule or a retry, does not count, ' +
          'nor does the purge of deleted applications.',
      ),
  }),
  examples: [
    { request: {}, reply: { settled: true } },
    { request: { brief: true }, reply: { settled: true } },
  ],
});
