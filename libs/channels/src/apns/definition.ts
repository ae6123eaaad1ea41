import { Platform } from '@tidings/kernel';
import { ALERT, type ChannelDefinition } from '../definition.ts';

/** Apple's push service. */
export const apns: ChannelDefinition = {
  platforms: [Platform.iOS],
  variants: { [ALERT]: 'apns' },
  badgeOf: (content) => content?.ios?.badge,
  ttlSecondsOf: (content) => content?.ios?.ttlSeconds,
};
