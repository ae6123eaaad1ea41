import type { Push } from './channel-definition.ts';

/**
 * Seconds for which a provider keeps a push: a time to live counts from the release of the message, however long the push has waited for its turn
 * (R-I11). A push that waited longer still gets its only try, with a second left. Undefined if the content has no TTL.
 */
export const remainingTtl = (
  ttlSeconds: number | undefined,
  { ageSeconds = 0 }: Pick<Push, 'ageSeconds'>,
): number | undefined => (ttlSeconds ? Math.max(ttlSeconds - ageSeconds, 1) : ttlSeconds);
