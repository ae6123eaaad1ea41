import { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { object } from '../values.ts';

/** R-RES6. */
export const listFilters = json13('listFilters', {
  description:
    'Lists the segments that are bound to the application or to none, oldest first; a restricted token does not see ' +
    'segments that name other applications.',
  scope: 'api',
  input: object({ application: applicationCode }),
  output: z.object({
    filters: z
      .array(
        z.object({
          code: z.string().describe('Code of the segment.'),
          name: z.string().describe('Name of the segment.'),
          filter_expression: z.string().describe('Expression of the segmentation language.'),
          expiration_date: z
            .string()
            .nullable()
            .describe(
              'The segment is deleted at the start of this day, in UTC: `YYYY-MM-DD`. Null or left out: never.',
            ),
          application: z
            .string()
            .nullable()
            .describe('Code of the application that the segment is bound to; null if there is none.'),
        }),
      )
      .describe('The segments, oldest first.'),
  }),
  examples: [
    {
      request: { auth: 'token', application: 'A1B2C-3D4E5' },
      reply: {
        filters: [
          {
            code: '52551-F2F42',
            name: 'Regulars',
            filter_expression: 'T("Level", GTE, 5)',
            expiration_date: '2030-01-01',
            application: null,
          },
        ],
      },
    },
  ],
});
