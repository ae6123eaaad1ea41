import type { z } from 'zod';
import { alternative } from '../presence.ts';

/** A block of a channel that is not served yet: it is checked, and then refused. */
export const notServed = <Schema extends z.ZodType>(schema: Schema) =>
  alternative(schema.refine(() => false, 'not served yet'));
