import { z } from 'zod';
import { admin } from '../families/admin.ts';
import { namedApplication } from '../fields/application.ts';
import { number, object } from '../values.ts';

export const setControlGroup = admin('setControlGroup', {
  description: "Excludes a percentage of an application's users from marketing messages, to hundredths of a per cent.",
  route: 'PUT applications/{code}/control-group',
  input: object({
    code: namedApplication,
    percentage: number
      .refine((value) => value >= 0 && value <= 100, 'must be 0 to 100')
      .meta({ minimum: 0, maximum: 100 })
      .describe('Percentage of users that receive no marketing messages, 0 to 100.'),
  }).transform(({ code: application, percentage }) => ({ application, percentage })),
  output: z.object({
    percentage: z.number().describe('Percentage of users that receive no marketing messages, 0 to 100.'),
  }),
  examples: [{ request: { code: 'A1B2C-3D4E5', percentage: 12.5 }, reply: { percentage: 12.5 } }],
});
