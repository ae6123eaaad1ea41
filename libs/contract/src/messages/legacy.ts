import type { z } from 'zod';
import { integer, oneOf, optional, text } from '../values.ts';
import { localized } from './texts.ts';

const unused = <Schema extends z.ZodType>(schema: Schema) =>
  optional(schema).describe('Field of a platform without devices: it is checked and has no effect.');

/** Checked, although no device registers with these platforms (R-RES24, R-I22). */
export const legacyFields = {
  wp_type: unused(oneOf(['Tile', 'Toast'])),
  wp_background: unused(text),
  wp_backbackground: unused(text),
  wp_backtitle: unused(localized),
  wp_backcontent: unused(localized),
  wp_count: unused(integer),
  blackberry_header: unused(localized),
};
