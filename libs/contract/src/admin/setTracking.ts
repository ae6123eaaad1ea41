import { z } from 'zod';
import { admin } from '../families/admin.ts';
import { applicationCode } from '../fields/application.ts';
import { boolean, object } from '../values.ts';

/**
 * Says whether deliveries of an application are told apart by device: on, the default, or off. Off, getDeliveryFunnel has the basic form for
 * push, with the reason UNAVAILABLE, for messages of earlier days, too (R-H18, R-T8). What devices report is kept all the same.
 */
export const setTracking = admin('setTracking', {
  route: 'PUT applications/{code}/tracking',
  input: object({ code: applicationCode, on: boolean }).transform(({ code: application, on }) => ({ application, on })),
  output: z.object({ on: z.boolean() }),
  examples: [{ request: { code: 'A1B2C-3D4E5', on: false }, reply: { on: false } }],
});
