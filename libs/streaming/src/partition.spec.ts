import { murmur2, partitionOf } from './partition.ts';

describe('partitionOf', () => {
  // From the tests of Kafka's own client (UtilsTest).
  it.each([
    ['21', -973932308],
    ['foobar', -790332482],
    ['a-little-bit-long-string', -985981536],
    ['a-little-bit-longer-string', -1486304829],
    ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
    ['abc', 479470107],
  ])('hashes %s as Kafka does', (key, hash) => {
    expect(murmur2(key)).toBe(hash);
  });

  // As computed by kafkajs 2.2.4.
  it.each([
    ['', 275646681],
    ['é', 186971271],
    ['äöü', -2070914556],
    ['日本語テキスト', -199816781],
  ])('hashes the UTF-8 bytes of %p', (key, hash) => {
    expect(murmur2(key)).toBe(hash);
  });

  it('stays within the partitions', () => {
    for (let i = 0; i < 1000; i++) {
      const partition = partitionOf(`key-${i}`, 12);
      expect(partition).toBeGreaterThanOrEqual(0);
      expect(partition).toBeLessThan(12);
    }
  });
});
