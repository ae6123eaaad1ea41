import { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { identity, object } from '../values.ts';

export const compileFilter = json13('compileFilter', {
  description: 'Counts the devices that match an expression, in all applications that the token may use.',
  scope: 'api',
  // May examine every device of an application.
  deadlineMs: 60_000,
  input: object({ devices_filter: identity.describe('Expression of the segmentation language.') }).transform(
    ({ devices_filter }) => ({ expression: devices_filter }),
  ),
  output: z.object({ devices_count: z.int().describe('Number of devices.') }),
  examples: [
    {
      request: { auth: 'token', devices_filter: 'A("A1B2C-3D4E5") * T("Level", GTE, 5)' },
      reply: { devices_count: 17 },
    },
  ],
});
