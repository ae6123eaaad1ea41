import { z } from 'zod';
import { admin } from '../families/admin.ts';
import { namedApplication } from '../fields/application.ts';
import { integerOf, object } from '../values.ts';

const MAX_COUNT = 1_000_000;

export const setCapping = admin('setCapping', {
  description: 'Sets the frequency cap of an application; a count of 0 removes it.',
  route: 'PUT applications/{code}/capping',
  input: object({
    code: namedApplication,
    days: integerOf(1, 30).describe('Period of the cap in days.'),
    count: integerOf(0, MAX_COUNT).describe('Maximum number of messages to a device in the period; 0 removes the cap.'),
  }).transform(({ code: application, days, count }) => ({ application, days, count })),
  output: z.object({
    days: z.number().describe('Period of the cap in days.'),
    count: z.number().describe('Maximum number of messages to a device in the period; 0 removes the cap.'),
  }),
  examples: [{ request: { code: 'A1B2C-3D4E5', days: 7, count: 3 }, reply: { days: 7, count: 3 } }],
});
