import fc from 'fast-check';
import type { OutRecord } from '../broker-port.ts';
import { newBatch, recordsOf, without } from './embedded-batch.ts';

const headers = fc.dictionary(
  fc.string().filter((name) => name !== '__proto__'),
  fc.string({ unit: 'binary' }),
  { minKeys: 1, noNullPrototype: true },
);
const record = fc.record(
  { key: fc.string({ unit: 'binary' }), value: fc.uint8Array({ maxLength: 200 }), headers },
  { requiredKeys: ['key', 'value'], noNullPrototype: true },
);

describe('batch', () => {
  it('decodes the records that it encoded', () => {
    fc.assert(
      fc.property(fc.array(record), fc.nat(2 ** 40), (records: OutRecord[], first) => {
        const read = recordsOf(newBatch(first, 77, records), 't', 3);
        expect(read.map(({ value, ...rest }) => ({ ...rest, value: [...value] }))).toEqual(
          records.map(({ key, value, headers }, i) => ({
            topic: 't',
            partition: 3,
            offset: first + i,
            timestamp: 77,
            key,
            value: [...value],
            headers,
          })),
        );
      }),
    );
  });

  it('keeps the offsets of the remaining records', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(record, fc.boolean())), (entries) => {
        const batch = newBatch(
          1000,
          1,
          entries.map(([one]) => one),
        );
        const kept = recordsOf(batch, 't', 0).filter((_, i) => entries[i]?.[1]);
        const left = without(batch, kept);
        expect(recordsOf(left, 't', 0)).toEqual(kept);
        expect(recordsOf(without(left, kept.slice(1)), 't', 0)).toEqual(kept.slice(1));
        expect(left).toMatchObject({ first: 1000, count: entries.length });
      }),
    );
  });

  it('does not share memory with the publisher', () => {
    const value = Buffer.from('before');
    const batch = newBatch(0, 0, [{ key: 'a', value }]);
    value.write('after!');
    expect(Buffer.from(recordsOf(batch, 't', 0)[0]?.value ?? []).toString()).toBe('before');
  });
});
