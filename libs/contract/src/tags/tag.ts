import type { z } from 'zod';
import { isGiven, unmarked } from '../presence.ts';
import { object } from '../values.ts';

/** The object `tag` of a request, of which the specification marks the name. */
export const tagOf = <Shape extends z.core.$ZodShape>(shape: Shape) =>
  unmarked(object(shape), ({ tag }) => (isGiven(tag) ? undefined : 'tag.name'));
