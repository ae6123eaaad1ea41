import { nameOf } from './bson.ts';

export const Name = {
  seq: nameOf('seq'),
  status: nameOf('stat'),
  platform: nameOf('plat'),
  token: nameOf('toke'),
  lang: nameOf('lang'),
  alerts: nameOf('aler'),
  hwidHash: nameOf('hwid'),
  tags: nameOf('tags'),
  self: nameOf('self'),
  open: nameOf('open'),
  badge: nameOf('badg'),
  setBadges: nameOf('setB'),
  place: nameOf('plac'),
  activities: nameOf('activities'),
} as const;
export const Coordinate = { lat: nameOf('lat'), lng: nameOf('lng') } as const;
/** Names of two letters: the fourth byte belongs to the value. */
export const Short = { cg: nameOf('cg'), tz: nameOf('tz') } as const;
export const SHORT = 0xffffff;

export const LETTER_K = 0x6b;
export const LETTER_T = 0x74;
