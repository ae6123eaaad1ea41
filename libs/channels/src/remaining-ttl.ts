import type { Push } from './channel-definition.ts';

/** Counts from the release (R-I11); a push that waited longer gets one try with a second left. */
export const remainingTtl = (
  ttlSeconds: number | undefined,
  { ageSeconds = 0 }: Pick<Push, 'ageSeconds'>,
): number | undefined => (ttlSeconds ? Math.max(ttlSeconds - ageSeconds, 1) : ttlSeconds);
