import { z } from 'zod';
import { admin } from '../families/admin.ts';
import { namedApplication } from '../fields/application.ts';
import { boolean, object } from '../values.ts';

export const setTracking = admin('setTracking', {
  description:
    "Turns per-device counting of an application's deliveries on, the default, or off. When it is off, " +
    'getDeliveryFunnel returns the basic form for push, with the reason UNAVAILABLE, also for earlier messages. ' +
    'Device reports are stored in either case.',
  route: 'PUT applications/{code}/tracking',
  input: object({
    code: namedApplication,
    on: boolean.describe('Whether deliveries are counted per device.'),
  }).transform(({ code: application, on }) => ({ application, on })),
  output: z.object({ on: z.boolean().describe('Whether deliveries are counted per device.') }),
  examples: [{ request: { code: 'A1B2C-3D4E5', on: false }, reply: { on: false } }],
});
