import type { z } from 'zod';
import { optional } from '../values.ts';
import { badge, sound, ttl } from './ios.ts';
import { rootParamsWithin } from './texts.ts';

export const macFields = {
  mac_badges: optional(badge),
  mac_sound: optional(sound),
  mac_root_params: optional(rootParamsWithin(256)).describe(
    'Members for the payload root on macOS, `aps` included; at most 256 bytes as JSON.',
  ),
  mac_ttl: optional(ttl),
};

type Fields = { [Name in keyof typeof macFields]: z.output<(typeof macFields)[Name]> };

export const macContent = (fields: Fields) => ({
  badge: fields.mac_badges,
  sound: fields.mac_sound,
  rootParams: fields.mac_root_params,
  ttlSeconds: fields.mac_ttl,
});
