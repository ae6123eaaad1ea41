import { z } from 'zod';
import { admin } from '../families/admin.ts';
import { applicationCode } from '../fields/application.ts';
import { boolean, object } from '../values.ts';

/**
 * Says what becomes of devices of an application that a worker was sending to when it died: off, the default, they are sent to again under
 * the same collapse id; on, they fail with INTERNAL_ERROR `unknown_outcome`. Counts for what goes out from then on.
 */
export const setAtMostOnce = admin('setAtMostOnce', {
  route: 'PUT applications/{code}/at-most-once',
  input: object({ code: applicationCode, on: boolean }).transform(({ code: application, on }) => ({ application, on })),
  output: z.object({ on: z.boolean() }),
  examples: [{ request: { code: 'A1B2C-3D4E5', on: true }, reply: { on: true } }],
});
