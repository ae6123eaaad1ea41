import type { Headers, InRecord, OutRecord } from '../broker-port.ts';

export interface Batch {
  readonly first: number;
  /** Number of offsets; compaction and erasure leave fewer records. */
  readonly count: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly body: Buffer;
}

/*
 * A body, little-endian, 32-bit numbers:
 *   size, byte length of the keys,
 *   size × (end of the key in UTF-16 units, end of the value in bytes),
 *   size × (offset - first)     only where size < count,
 *   the keys as one UTF-8 text, much faster than many short ones, the values,
 *   the headers as JSON, [[index, headers], …]     only where a record has any.
 */
const HEAD = 8;
const ENTRY = 8;
const DELTA = 4;
const NOTHING = Buffer.alloc(0);

type HeadersAt = readonly [index: number, headers: Headers];

function encode(records: readonly OutRecord[], deltas: readonly number[] = []): Buffer {
  const size = records.length;
  let keys = '';
  let valueBytes = 0;
  let hasHeaders = false;
  for (const { key, value, headers } of records) {
    keys += key;
    valueBytes += value.length;
    hasHeaders ||= headers !== undefined;
  }
  const keyBytes = Buffer.byteLength(keys);
  const tableEnd = HEAD + size * ENTRY + deltas.length * DELTA;
  const valuesStart = tableEnd + keyBytes;
  const headers = hasHeaders ? encodeHeaders(records) : NOTHING;
  const body = Buffer.allocUnsafe(valuesStart + valueBytes + headers.length);
  body.writeUInt32LE(size, 0);
  body.writeUInt32LE(keyBytes, 4);
  body.write(keys, tableEnd);
  let keyEnd = 0;
  let valueEnd = 0;
  let at = HEAD;
  for (const { key, value } of records) {
    body.set(value, valuesStart + valueEnd);
    keyEnd += key.length;
    valueEnd += value.length;
    body.writeUInt32LE(keyEnd, at);
    body.writeUInt32LE(valueEnd, at + 4);
    at += ENTRY;
  }
  for (const delta of deltas) at = body.writeUInt32LE(delta, at);
  headers.copy(body, valuesStart + valueBytes);
  return body;
}

function encodeHeaders(records: readonly OutRecord[]): Buffer {
  const entries = [...records.entries()].flatMap(([index, { headers }]): HeadersAt[] =>
    headers && Object.keys(headers).length > 0 ? [[index, headers]] : [],
  );
  return entries.length > 0 ? Buffer.from(JSON.stringify(entries)) : NOTHING;
}

/** Copies the values: a publisher may reuse its buffers. */
export const newBatch = (first: number, at: number, records: readonly OutRecord[]): Batch => ({
  first,
  count: records.length,
  at,
  body: encode(records),
});

export function without(batch: Batch, kept: readonly InRecord[]): Batch {
  const offsets = kept.length < batch.count ? kept.map(({ offset }) => offset - batch.first) : [];
  return { ...batch, body: encode(kept, offsets) };
}

export function recordsOf(batch: Batch, topic: string, partition: number): InRecord[] {
  const { first, count, at: timestamp, body } = batch;
  const size = body.readUInt32LE(0);
  const deltas = size < count ? HEAD + size * ENTRY : 0;
  const keysStart = HEAD + size * (deltas > 0 ? ENTRY + DELTA : ENTRY);
  const valuesStart = keysStart + body.readUInt32LE(4);
  const keys = body.toString('utf8', keysStart, valuesStart);
  const records = new Array<InRecord>(size);
  let keyStart = 0;
  let valueStart = valuesStart;
  for (let i = 0; i < size; i++) {
    const keyEnd = body.readUInt32LE(HEAD + i * ENTRY);
    const valueEnd = valuesStart + body.readUInt32LE(HEAD + i * ENTRY + 4);
    records[i] = {
      topic,
      partition,
      offset: first + (deltas > 0 ? body.readUInt32LE(deltas + i * DELTA) : i),
      timestamp,
      key: keys.slice(keyStart, keyEnd),
      value: body.subarray(valueStart, valueEnd),
    };
    keyStart = keyEnd;
    valueStart = valueEnd;
  }
  if (valueStart < body.length) {
    for (const [i, headers] of JSON.parse(body.toString('utf8', valueStart)) as HeadersAt[]) {
      records[i] = { ...(records[i] as InRecord), headers };
    }
  }
  return records;
}
