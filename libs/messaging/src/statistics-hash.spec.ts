import { describe, expect, it } from '@jest/globals';
import { toBase62 } from '@tidings/kernel';
import fc from 'fast-check';
import { createSecretKey } from 'node:crypto';
import {
  buildStatisticsHash,
  DEVICE_PART_LENGTH,
  isGenuine,
  macOf,
  messageKeyOf,
  parseStatisticsHash,
  writeDevicePart,
} from './statistics-hash.ts';

const example = 'P_423M_lQlKFY_bEL-4nm3p4-4bbkUN';
const message = { campaignId: 961234n, messageId: 20012343258n, code: 'AF0B-EEFE4D5E-E445B2E9' };

const uint = (bits: number) => fc.bigInt({ min: 0n, max: (1n << BigInt(bits)) - 1n });
const hex = (digits: number) => uint(digits * 4).map((n) => n.toString(16).toUpperCase().padStart(digits, '0'));
const code = fc.tuple(hex(4), hex(8), hex(8)).map((groups) => groups.join('-'));
const device = fc.record({
  seq: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  platform: fc.integer({ min: 0, max: 255 }),
  mac: fc.integer({ min: 0, max: 2 ** 29 - 1 }),
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

  it('transports message and device in both directions', () => {
    fc.assert(
      fc.property(fc.record({ campaignId: uint(64), messageId: uint(64), code }), device, (message, device) => {
        expect(parseStatisticsHash(buildStatisticsHash(message, device))).toEqual({ ...message, device });
      }),
    );
  });

  it('writes the device part as three groups of 23 bits', () => {
    fc.assert(
      fc.property(device, (device) => {
        const target = new Uint8Array(DEVICE_PART_LENGTH + 8).fill(35);
        expect(writeDevicePart(target, 4, device)).toBe(4 + DEVICE_PART_LENGTH);
        const packed = (BigInt(device.seq) << 37n) | (BigInt(device.platform) << 29n) | BigInt(device.mac);
        const groups = [packed >> 46n, (packed >> 23n) & 0x7fffffn, packed & 0x7fffffn];
        const written = groups.map((group) => toBase62(group).padStart(4, '0')).join('');
        expect(Buffer.from(target).toString('latin1')).toBe(`####${written}####`);
      }),
      { examples: [[{ seq: 0, platform: 0, mac: 0 }], [{ seq: 2 ** 32 - 1, platform: 255, mac: 2 ** 29 - 1 }]] },
    );
  });

  it('ignores the prefix and parts beyond the fifth', () => {
    expect(parseStatisticsHash('X_423M_lQlKFY_bEL-4nm3p4-4bbkUN_000000000010_more_and_more')).toMatchObject({
      ...message,
      device: { seq: 0, platform: 0, mac: 62 },
    });
  });

  it('ignores a fifth part of another form', () => {
    // The fourth and fifth are as an earlier version wrote them.
    for (const part of ['', '-', 'ZZZZZZZZZZZZ', '10', 'lYGhA16ahyf', '0000000000-0', '0000000000000']) {
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

describe('the device part', () => {
  const reportKey = createSecretKey(new Uint8Array(32).fill(7));
  const application = 'AAAAA-00001';
  const check = 0x0a0b0c;
  const key = messageKeyOf(reportKey, application, message);
  const genuine = { seq: 70_000, platform: 3, mac: macOf(key, 70_000, 3, check) };

  it('is genuine for its message and its device', () => {
    expect(isGenuine(key, genuine, check)).toBe(true);
  });

  it.each([
    ['the number', { ...genuine, seq: genuine.seq + 1 }],
    ['the number by its uppermost bit', { ...genuine, seq: genuine.seq + 2 ** 31 }],
    ['the platform', { ...genuine, platform: 1 }],
    ['the check itself', { ...genuine, mac: genuine.mac ^ 1 }],
  ])('is not genuine once %s was changed', (_, forged) => {
    expect(isGenuine(key, forged, check)).toBe(false);
  });

  it.each([
    ['another hwid', key, check ^ 1],
    ['another message', messageKeyOf(reportKey, application, { ...message, code: 'AF0B-EEFE4D5E-E445B2EA' }), check],
    ['another message id', messageKeyOf(reportKey, application, { ...message, messageId: 20012343259n }), check],
    ['another campaign', messageKeyOf(reportKey, application, { ...message, campaignId: 0n }), check],
    ['another application', messageKeyOf(reportKey, 'AAAAA-00002', message), check],
    ['another deployment', messageKeyOf(createSecretKey(new Uint8Array(32)), application, message), check],
  ])('is not genuine for %s', (_, other, of) => {
    expect(isGenuine(other, genuine, of)).toBe(false);
  });

  it('depends on every covered field in each of its 29 bits, so that it cannot be guessed', () => {
    const seen = Array.from({ length: 4096 }, (_, seq) => macOf(key, seq, 1, check));
    for (let bit = 0; bit < 29; bit++) {
      const share = seen.filter((mac) => (mac >>> bit) & 1).length / seen.length;
      expect(Math.abs(share - 0.5)).toBeLessThan(0.05);
    }
    expect(Math.max(...seen)).toBeLessThan(2 ** 29);
    expect(new Set(seen).size).toBeGreaterThan(4090);
  });
});
