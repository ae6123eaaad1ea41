import type { z } from 'zod';
import { androidContent, androidFields } from './android.ts';

export const amazonFields = {
  adm_root_params: androidFields.android_root_params,
  adm_sound: androidFields.android_sound,
  adm_header: androidFields.android_header.describe('Replaces `title` on Amazon devices.'),
  adm_icon: androidFields.android_icon,
  adm_custom_icon: androidFields.android_custom_icon,
  adm_banner: androidFields.android_banner,
  adm_ttl: androidFields.android_gcm_ttl,
  adm_priority: androidFields.android_priority,
};

type Fields = { readonly [Name in keyof typeof amazonFields]: z.output<(typeof amazonFields)[Name]> } & {
  readonly adm_badges?: string | undefined;
};

export const amazonContent = (fields: Fields) =>
  androidContent({
    android_root_params: fields.adm_root_params,
    android_sound: fields.adm_sound,
    android_header: fields.adm_header,
    android_icon: fields.adm_icon,
    android_custom_icon: fields.adm_custom_icon,
    android_banner: fields.adm_banner,
    android_badges: fields.adm_badges,
    android_gcm_ttl: fields.adm_ttl,
    android_priority: fields.adm_priority,
  });
