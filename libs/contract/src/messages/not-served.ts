import { notServedYet } from '../values.ts';

const huawei = [
  'huawei_android_header',
  'huawei_android_content',
  'huawei_android_badges',
  'huawei_android_silent',
  'huawei_android_icon',
  'huawei_android_led',
  'huawei_android_vibration',
  'huawei_android_sound',
  'huawei_android_sound_off',
  'huawei_android_custom_icon',
  'huawei_android_gcm_ttl',
  'huawei_android_banner',
  'huawei_android_root_params',
  'huawei_android_priority',
  'huawei_android_ibc',
  'huawei_android_lockscreen',
  'huawei_android_delivery_priority',
  'huawei_android_group_id',
] as const;

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

const names = [...huawei, ...desktopAndLegacy];

/** Fields of section I that are not served yet: they are refused, not ignored. */
export const notServedFields = Object.fromEntries(names.map((name) => [name, notServedYet])) as Record<
  (typeof names)[number],
  typeof notServedYet
>;
