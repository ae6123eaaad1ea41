import { describe, expect, it } from '@jest/globals';
import { toBase62 } from '@tidings/kernel';
import fc from 'fast-check';
import { buildStatisticsHash, DEVICE_PART_MAX, parseStatisticsHash, writeDevicePart } from './statistics-hash.ts';

const example = 'P_423M_lQlKFY_bEL-4nm3p4-4bbkUN';
const message = { campaignId: 961234n, messageId: 20012343258n, code: 'AF0B-EEFE4D5E-E445B2E9' };

const uint = (bits: number) => fc.bigInt({ min: 0n, max: (1n << BigInt(bits)) - 1n });
const hex = (digits: number) => uint(digits * 4).map((n) => n.toString(16).toUpperCase().padStart(digits, '0'));
const code = fc.tuple(hex(4), hex(8), hex(8)).map((groups) => groups.join('-'));
const device = fc.record({
  seq: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  platform: fc.integer({ min: 0, max: 255 }),
  check: fc.integer({ min: 0, max: 2 ** 24 - 1 }),
});

describe('statistics hash', () => {
  it('is written as in the public example', () => {
    expect(buildStatisticsHash(message)).toBe(example);
  });

  it('is read from the public example, which has no device part', () => {
    expect(parseStatisticsHash(example)).toEqual({ ...message, device: undefined });
  });

  it('writes campaign 0 as 0', () => {
    expect(buildStatisticsHash({ ...message, campaignId: 0n })).toBe('P_0_lQlKFY_bEL-4nm3p4-4bbkUN');
  });

  it('restores leading zeros of the code', () => {
    const small = { campaignId: 0n, messageId: 1n, code: '000A-00000000-0000000F' };
    expect(buildStatisticsHash(small)).toBe('P_0_1_a-0-f');
    expect(parseStatisticsHash('P_0_1_a-0-f')).toEqual({ ...small, device: undefined });
  });

  it('carries message and device there and back', () => {
    fc.assert(
      fc.property(fc.record({ campaignId: uint(64), messageId: uint(64), code }), device, (message, device) => {
        expect(parseStatisticsHash(buildStatisticsHash(message, device))).toEqual({ ...message, device });
      }),
    );
  });

  it('writes the device part as base 62 of its 64 bits', () => {
    fc.assert(
      fc.property(device, (device) => {
        const target = new Uint8Array(DEVICE_PART_MAX + 8).fill(35);
        const length = writeDevicePart(target, 4, device.seq, device.platform, device.check);
        const packed = (BigInt(device.seq) << 32n) | (BigInt(device.platform) << 24n) | BigInt(device.check);
        expect(Buffer.from(target).toString('latin1', 4, 4 + length)).toBe(toBase62(packed));
        expect(Buffer.from(target).toString('latin1', 0, 4)).toBe('####');
        expect(Buffer.from(target).toString('latin1', 4 + DEVICE_PART_MAX)).toBe('####');
      }),
      { examples: [[{ seq: 0, platform: 0, check: 0 }], [{ seq: 2 ** 32 - 1, platform: 255, check: 2 ** 24 - 1 }]] },
    );
  });

  it('ignores the prefix and parts beyond the fifth', () => {
    expect(parseStatisticsHash('X_423M_lQlKFY_bEL-4nm3p4-4bbkUN_10_more_and_more')).toMatchObject({
      ...message,
      device: { seq: 0, platform: 0, check: 62 },
    });
  });

  it('takes a fifth part that is not ours for none', () => {
    for (const part of ['', '-', 'ZZZZZZZZZZZ', '000000000000']) {
      expect(parseStatisticsHash(`${example}_${part}`)).toEqual({ ...message, device: undefined });
    }
  });

  it.each([
    ['nothing', ''],
    ['too few parts', 'P_423M_lQlKFY'],
    ['a foreign digit', 'P_42*M_lQlKFY_bEL-4nm3p4-4bbkUN'],
    ['an empty part', 'P__lQlKFY_bEL-4nm3p4-4bbkUN'],
    ['a code of two groups', 'P_423M_lQlKFY_bEL-4nm3p4'],
    ['a code of four groups', 'P_423M_lQlKFY_bEL-4nm3p4-4bbkUN-0'],
    ['a group that is too large', 'P_423M_lQlKFY_ZZZZ-4nm3p4-4bbkUN'],
    ['a number above 64 bits', 'P_423M_ZZZZZZZZZZZ_bEL-4nm3p4-4bbkUN'],
  ])('refuses %s', (_, text) => {
    expect(parseStatisticsHash(text)).toBeUndefined();
  });

  it('never throws', () => {
    fc.assert(fc.property(fc.string(), (text) => void parseStatisticsHash(text)));
  });
});
