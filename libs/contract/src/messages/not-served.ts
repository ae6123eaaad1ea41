import { notServedYet } from '../values.ts';

const desktopAndLegacy = [
  'adm_root_params',
  'adm_sound',
  'adm_header',
  'adm_icon',
  'adm_custom_icon',
  'adm_banner',
  'adm_ttl',
  'adm_priority',
  'wns_content',
  'wns_type',
  'wns_tag',
  'wns_cache',
  'wns_ttl',
  'wp_type',
  'wp_background',
  'wp_backbackground',
  'wp_backtitle',
  'wp_backcontent',
  'wp_count',
  'blackberry_header',
] as const;

const names = [...desktopAndLegacy];

/** Fields of section I that are not served yet: they are refused, not ignored. */
export const notServedFields = Object.fromEntries(names.map((name) => [name, notServedYet])) as Record<
  (typeof names)[number],
  typeof notServedYet
>;
