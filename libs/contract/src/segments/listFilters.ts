import { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { object } from '../values.ts';

/**
 * Lists the segments that are bound to the application or to none, oldest first; a restricted token does not see segments that name other
 * applications (R-T9). Spec N (R-N1, R-RES6).
 */
export const listFilters = json13('listFilters', {
  scope: 'api',
  input: object({ application: applicationCode }),
  output: z.object({
    filters: z.array(
      z.object({
        code: z.string(),
        name: z.string(),
        filter_expression: z.string(),
        expiration_date: z.string().nullable(),
        application: z.string().nullable(),
      }),
    ),
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
