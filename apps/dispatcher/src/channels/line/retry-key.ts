import { createHash } from 'node:crypto';
import type { SendBatch } from '@tidings/events';
import { sendIdOf } from '@tidings/kernel';

/** Keys are equal in every try and process: UUIDs of version 8 (RFC 9562). */
export function retryKeysOf(batch: Pick<SendBatch, 'message' | 'bucket' | 'application'>): (seq: number) => string {
  const common = `${sendIdOf(batch)} ${batch.application} `;
  return (seq) => {
    const digits = createHash('sha256').update(common).update(String(seq)).digest('hex');
    const [a, b, c, d, e] = [8, 12, 15, 18, 30].map((end, i, ends) => digits.slice(i === 0 ? 0 : ends[i - 1], end));
    return `${a}-${b}-8${c}-a${d}-${e}`;
  };
}
