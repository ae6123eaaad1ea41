import { Platform } from '@tidings/kernel';
import { ALERT, type ChannelDefinition } from '../definition.ts';

/** Firebase Cloud Messaging. */
export const fcm: ChannelDefinition = {
  platforms: [Platform.Android],
  variants: { [ALERT]: 'fcm' },
  badgeOf: (content) => content?.android?.badge,
  ttlSecondsOf: (content) => content?.android?.ttlSeconds,
};
