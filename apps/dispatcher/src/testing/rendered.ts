import { columnsOf } from '@tidings/delivery';
import type { SendBatch } from '@tidings/events';
import { type CompiledPayload, isGenuine, messageKeyOf, parseStatisticsHash, PayloadWriter } from '@tidings/messaging';
import { createSecretKey } from 'node:crypto';
import { keyOfBatch } from '../channels/message-key.ts';

/** What the first device of a batch is sent, as text. */
export const rendered = (payload: CompiledPayload, batch: SendBatch, limit = Infinity): string =>
  new PayloadWriter().write(payload, columnsOf(batch), 0, limit).toString('utf8');

/** What the payloads of these tests are signed with. */
export const reportKey = createSecretKey(new Uint8Array(32).fill(5));
export const keyOf = (batch: SendBatch) => keyOfBatch(reportKey, batch);

/** Whether the hash in a payload was made for this device of a batch's application. */
export function isHashOf(
  p: string,
  { application }: SendBatch,
  device: { seq: number; platform: number; check: number },
) {
  const hash = parseStatisticsHash(p);
  if (hash?.device?.seq !== device.seq || hash.device.platform !== device.platform) return false;
  return isGenuine(messageKeyOf(reportKey, application, hash), hash.device, device.check);
}
