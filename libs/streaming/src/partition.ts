const SEED = 0x9747b28c | 0;
const M = 0x5bd1e995;

const mix = (hash: number, word: number): number => {
  let k = Math.imul(word, M);
  k = Math.imul(k ^ (k >>> 24), M);
  return Math.imul(hash, M) ^ k;
};

const finish = (hash: number): number => {
  const h = Math.imul(hash ^ (hash >>> 13), M);
  return h ^ (h >>> 15);
};

function hashBytes(bytes: Uint8Array): number {
  const { length } = bytes;
  const whole = length & ~3;
  const at = (index: number): number => bytes[index] ?? 0;
  let hash = SEED ^ length;
  for (let i = 0; i < whole; i += 4) {
    hash = mix(hash, at(i) | (at(i + 1) << 8) | (at(i + 2) << 16) | (at(i + 3) << 24));
  }
  if (length > whole) {
    hash = Math.imul(hash ^ (at(whole) | (at(whole + 1) << 8) | (at(whole + 2) << 16)), M);
  }
  return finish(hash);
}

/** As Kafka's clients compute it, over UTF-8, signed. */
export function murmur2(key: string): number {
  const { length } = key;
  const whole = length & ~3;
  let seen = 0;
  let hash = SEED ^ length;
  for (let i = 0; i < whole; i += 4) {
    const a = key.charCodeAt(i);
    const b = key.charCodeAt(i + 1);
    const c = key.charCodeAt(i + 2);
    const d = key.charCodeAt(i + 3);
    seen |= a | b | c | d;
    hash = mix(hash, a | (b << 8) | (c << 16) | (d << 24));
  }
  if (length > whole) {
    let rest = 0;
    for (let i = length - 1; i >= whole; i--) {
      const code = key.charCodeAt(i);
      seen |= code;
      rest = (rest << 8) | code;
    }
    hash = Math.imul(hash ^ rest, M);
  }
  // Characters equal bytes only if all are ASCII.
  return seen > 0x7f ? hashBytes(Buffer.from(key)) : finish(hash);
}

/** Kafka's default partitioner, so that adapters agree. */
export const partitionOf = (key: string, partitions: number): number =>
  partitions === 1 ? 0 : (murmur2(key) & 0x7fffffff) % partitions;
