import { hash } from 'node:crypto';

const BUCKETS = 10_000;
const DIGEST_BYTES = 8;

/** The first 8 bytes of SHA-256(`<application>:<user id>`) modulo 10000 (R-E15). */
export function controlBucketOf(application: string, userId: string): number {
  const digest = hash('sha256', `${application}:${userId}`, 'binary');
  let bucket = 0;
  for (let i = 0; i < DIGEST_BYTES; i++) bucket = (bucket * 256 + digest.charCodeAt(i)) % BUCKETS;
  return bucket;
}
