import { createHash } from 'node:crypto';
import type { SendBatch } from '@tidings/events';
import { sendIdOf } from '@tidings/kernel';

/**
 * The retry keys of a batch's devices: for a device the same in every try, whichever process makes it, and another one in every message. They are
 * UUIDs of our own making (RFC 9562, version 8).
 */
export function retryKeysOf(batch: Pick<SendBatch, 'message' | 'bucket' | 'application'>): (seq: number) => string {
  const common = `${sendIdOf(batch)} ${batch.application} `;
  return (seq) => {
    const digits = createHash('sha256').update(common).update(String(seq)).digest('hex');
    const [a, b, c, d, e] = [8, 12, 15, 18, 30].map((end, i, ends) => digits.slice(i === 0 ? 0 : ends[i - 1], end));
    return `${a}-${b}-8${c}-a${d}-${e}`;
  };
}
