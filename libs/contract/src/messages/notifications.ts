import type { z } from 'zod';
import { array } from '../values.ts';

const MAX_NOTIFICATIONS = 1000;

/** The notifications of a request (R-I1). */
export const notificationsOf = <Element extends z.ZodType>(element: Element) =>
  array(element)
    .min(1, `must have 1 to ${MAX_NOTIFICATIONS} entries`)
    .max(MAX_NOTIFICATIONS, `must have 1 to ${MAX_NOTIFICATIONS} entries`);
