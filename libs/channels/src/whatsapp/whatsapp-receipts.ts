import { createHmac, timingSafeEqual } from 'node:crypto';
import { type Fields, fieldsOf, listOf } from '../reply-fields.ts';

const SIGNATURE = /^sha256=([0-9a-f]{64})$/i;

/** In constant time. */
export function isSignedByWhatsApp(appSecret: string, bytes: Uint8Array, header: string | undefined): boolean {
  const given = SIGNATURE.exec(header ?? '')?.[1];
  if (given === undefined) return false;
  const expected = createHmac('sha256', appSecret).update(bytes).digest();
  return timingSafeEqual(expected, Buffer.from(given, 'hex'));
}

const ARRIVED: ReadonlySet<unknown> = new Set(['delivered', 'read', 'played']);

export function arrivedIn(body: Fields, max: number): readonly string[] | undefined {
  const statuses = listOf(body['entry'])
    .flatMap((entry) => listOf(entry['changes']))
    .flatMap(({ value }) => listOf(fieldsOf(value)['statuses']));
  if (statuses.length > max) return undefined;
  const keys = statuses.filter(({ status }) => ARRIVED.has(status)).map((status) => status['biz_opaque_callback_data']);
  return [...new Set(keys)].filter((key) => typeof key === 'string');
}
