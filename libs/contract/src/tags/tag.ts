import type { z } from 'zod';
import { isGiven, unmarked } from '../presence.ts';
import { object } from '../values.ts';

export const TAG_TYPES = 'Type of the values: 1 integer, 2 string, 3 list, 4 date, 5 boolean, 6 decimal, 7 version.';

export const tagOf = <Shape extends z.core.$ZodShape>(shape: Shape) =>
  unmarked(object(shape), ({ tag }) => (isGiven(tag) ? undefined : 'tag.name'));
