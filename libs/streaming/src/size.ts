import { Fault } from '@tidings/kernel';
import { LARGEST_DEAD_LETTER_BYTES, LARGEST_RECORD_BYTES, type OutRecord, DEAD_LETTER_TOPIC } from './broker-port.ts';

/** A character counts as one byte. */
export function sizeOf({ key, value, headers }: OutRecord): number {
  let bytes = key.length + value.length;
  for (const name in headers) bytes += name.length + (headers[name] as string).length;
  return bytes;
}

export function checkedSize(topic: string, record: OutRecord): number {
  const bytes = sizeOf(record);
  if (bytes > (topic === DEAD_LETTER_TOPIC ? LARGEST_DEAD_LETTER_BYTES : LARGEST_RECORD_BYTES))
    throw new Fault('tooLarge', 'A record is larger than a topic can hold');
  return bytes;
}
