import { z } from 'zod';
import { admin } from '../families/admin.ts';
import { namedApplication } from '../fields/application.ts';
import { boolean, object, optional } from '../values.ts';

export const setDebug = admin('setDebug', {
  description: "Turns an application's debug mode on for 60 minutes from now, or off.",
  route: 'POST applications/{code}/debug',
  input: object({
    code: namedApplication,
    on: optional(boolean).describe('Whether debug mode is on for an hour from now; true if left out.'),
  }).transform(({ code, on }) => ({
    application: code,
    on: on ?? true,
  })),
  output: z.object({
    debug_until: z.string().nullable().describe('End of debug mode: RFC 3339, in UTC; null if it is off.'),
  }),
  examples: [{ request: { code: 'A1B2C-3D4E5' }, reply: { debug_until: '2026-01-15T13:00:00Z' } }],
});
