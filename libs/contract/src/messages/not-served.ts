import { notServedYet } from '../values.ts';

const amazon = [
  'adm_root_params',
  'adm_sound',
  'adm_header',
  'adm_icon',
  'adm_custom_icon',
  'adm_banner',
  'adm_ttl',
  'adm_priority',
] as const;

const names = [...amazon];

/** Fields of section I that are not served yet: they are refused, not ignored. */
export const notServedFields = Object.fromEntries(names.map((name) => [name, notServedYet])) as Record<
  (typeof names)[number],
  typeof notServedYet
>;
