import { hash } from 'node:crypto';

const BUCKETS = 10_000;

/**
 * The control-group bucket of a user's devices in an application: the first 8 bytes of SHA-256(`<application>:<user id>`) modulo 10000,
 * where a user id that was never set is the hwid (R-E15).
 */
export function controlBucketOf(application: string, userId: string): number {
  const digest = hash('sha256', `${application}:${userId}`, 'buffer');
  const high = digest.readUInt32BE(0) % BUCKETS;
  const low = digest.readUInt32BE(4) % BUCKETS;
  return (high * (2 ** 32 % BUCKETS) + low) % BUCKETS;
}
