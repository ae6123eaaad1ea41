import { z } from 'zod';
import { admin } from '../families/admin.ts';
import { namedApplication } from '../fields/application.ts';
import { identity, object } from '../values.ts';

export const countDevices = admin('countDevices', {
  description:
    'Counts the devices of an application that match an expression, with a push token or without. A count that ' +
    'takes longer than 200 ms ends as an estimate from an even sample of the devices. An error in the expression ' +
    'names its position, from 0, or quotes the name that is unknown.',
  route: 'POST applications/{code}/count',
  input: object({
    code: namedApplication,
    expression: identity.describe('Expression of the segmentation language.'),
  }).transform(({ code: application, expression }) => ({ application, expression })),
  output: z.object({
    devices: z.int().describe('Number of devices, an estimate if `sampled`.'),
    sampled: z.boolean().describe('Whether only a sample was read.'),
    share: z.number().describe('Part of the devices that was read: 1 if the number is exact.'),
  }),
  examples: [
    {
      request: { code: 'A1B2C-3D4E5', expression: 'A("A1B2C-3D4E5") * T("Level", GTE, 5)' },
      reply: { devices: 17, sampled: false, share: 1 },
    },
    {
      request: { code: 'A1B2C-3D4E5', expression: 'T("Level", GTE, 5)' },
      reply: { devices: 250_112, sampled: true, share: 0.18 },
    },
  ],
});
