import { Fault } from '@tidings/kernel';
import { LARGEST_DEAD_LETTER_BYTES, LARGEST_RECORD_BYTES, type OutRecord, DEAD_LETTER_TOPIC } from './broker-port.ts';

/** Bytes of a record's key, value and headers; a character counts as one. */
export function sizeOf({ key, value, headers }: OutRecord): number {
  let bytes = key.length + value.length;
  for (const name in headers) bytes += name.length + (headers[name] as string).length;
  return bytes;
}

/** The size of a record. @throws Fault `tooLarge` if it exceeds its topic's limit */
export function checkedSize(topic: string, record: OutRecord): number {
  const bytes = sizeOf(record);
  if (bytes > (topic === DEAD_LETTER_TOPIC ? LARGEST_DEAD_LETTER_BYTES : LARGEST_RECORD_BYTES))
    throw new Fault('tooLarge', 'A record is larger than a topic can hold');
  return bytes;
}
