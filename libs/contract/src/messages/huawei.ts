import type { z } from 'zod';
import { boolean, optional } from '../values.ts';
import { androidContent, androidFields } from './android.ts';

export const huaweiFields = {
  huawei_android_header: androidFields.android_header.describe('Replaces `title` on Huawei devices.'),
  huawei_android_content: androidFields.android_content.describe('Replaces `content` on Huawei devices.'),
  huawei_android_badges: androidFields.android_badges,
  huawei_android_silent: androidFields.android_silent,
  huawei_android_icon: androidFields.android_icon,
  huawei_android_led: androidFields.android_led,
  huawei_android_vibration: androidFields.android_vibration,
  huawei_android_sound: androidFields.android_sound,
  huawei_android_sound_off: androidFields.android_sound_off,
  huawei_android_custom_icon: androidFields.android_custom_icon,
  huawei_android_gcm_ttl: androidFields.android_gcm_ttl,
  huawei_android_banner: androidFields.android_banner,
  huawei_android_root_params: androidFields.android_root_params,
  huawei_android_priority: androidFields.android_priority,
  huawei_android_ibc: androidFields.android_ibc,
  huawei_android_lockscreen: optional(boolean).describe('Whether the lock screen shows the notification.'),
  huawei_android_delivery_priority: androidFields.android_delivery_priority,
  huawei_android_group_id: androidFields.android_group_id,
};

type Fields = { [Name in keyof typeof huaweiFields]: z.output<(typeof huaweiFields)[Name]> };

export const huaweiContent = (fields: Fields) => ({
  ...androidContent({
    android_header: fields.huawei_android_header,
    android_content: fields.huawei_android_content,
    android_root_params: fields.huawei_android_root_params,
    android_sound: fields.huawei_android_sound,
    android_sound_off: fields.huawei_android_sound_off,
    android_icon: fields.huawei_android_icon,
    android_custom_icon: fields.huawei_android_custom_icon,
    android_banner: fields.huawei_android_banner,
    android_badges: fields.huawei_android_badges,
    android_gcm_ttl: fields.huawei_android_gcm_ttl,
    android_vibration: fields.huawei_android_vibration,
    android_led: fields.huawei_android_led,
    android_priority: fields.huawei_android_priority,
    android_delivery_priority: fields.huawei_android_delivery_priority,
    android_ibc: fields.huawei_android_ibc,
    android_silent: fields.huawei_android_silent,
    android_group_id: fields.huawei_android_group_id,
  }),
  lockscreen: fields.huawei_android_lockscreen,
});
