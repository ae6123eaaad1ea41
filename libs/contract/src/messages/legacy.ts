import { integer, oneOf, optional, text } from '../values.ts';
import { localized } from './texts.ts';

/** Fields of platforms that no device registers with: they are checked and reach no device (R-RES24, R-I22). */
export const legacyFields = {
  wp_type: optional(oneOf(['Tile', 'Toast'])),
  wp_background: optional(text),
  wp_backbackground: optional(text),
  wp_backtitle: optional(localized),
  wp_backcontent: optional(localized),
  wp_count: optional(integer),
  blackberry_header: optional(localized),
};
