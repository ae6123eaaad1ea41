import { z } from 'zod';
import { admin } from '../families/admin.ts';
import { namedApplication } from '../fields/application.ts';
import { boolean, object } from '../values.ts';

export const setAtMostOnce = admin('setAtMostOnce', {
  description:
    'Chooses what happens to pushes of unknown outcome: the worker died while it was sending, the connection was ' +
    'lost, or the provider did not answer. Off, the default: the push is repeated with the same collapse id. On: the ' +
    'device fails with INTERNAL_ERROR `unknown_outcome`. Applies to pushes sent from now on.',
  route: 'PUT applications/{code}/at-most-once',
  input: object({
    code: namedApplication,
    on: boolean.describe('Whether a crash may lose a push rather than repeat it.'),
  }).transform(({ code: application, on }) => ({ application, on })),
  output: z.object({ on: z.boolean().describe('Whether a crash may lose a push rather than repeat it.') }),
  examples: [{ request: { code: 'A1B2C-3D4E5', on: true }, reply: { on: true } }],
});
