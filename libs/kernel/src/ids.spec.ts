import { describe, expect, it } from '@jest/globals';
import {
  fromBase62,
  createdAtOf,
  messageLogOf,
  newCode,
  newMessageCode,
  numberIds,
  randomBase62,
  toBase62,
} from './ids.ts';

describe('base 62', () => {
  it('writes the numbers of the public example', () => {
    expect(toBase62(961234)).toBe('423M');
    expect(toBase62(20012343258n)).toBe('lQlKFY');
    expect(fromBase62('lQlKFY')).toBe(20012343258n);
  });

  it('refuses everything else as a number', () => {
    for (const text of ['', 'a-b', 'ü', '0'.repeat(12)]) expect(fromBase62(text)).toBeUndefined();
    expect(() => toBase62(-1)).toThrow(RangeError);
  });
});

describe('codes', () => {
  it('have the forms of R-RES1', () => {
    expect(newCode()).toMatch(/^[0-9A-F]{5}-[0-9A-F]{5}$/);
    expect(newMessageCode(11)).toMatch(/^B[0-9A-F]{3}-[0-9A-F]{8}-[0-9A-F]{8}$/);
    expect(messageLogOf(newMessageCode(11))).toBe(11);
    expect(randomBase62(8)).toMatch(/^[0-9a-zA-Z]{8}$/);
  });
});

describe('numberIds', () => {
  it('are unique and ordered, also when the clock stands or two replicas share it', () => {
    const clock = (): number => Date.UTC(2026, 0, 1);
    const [a, b] = [numberIds(clock, { current: () => 3 }), numberIds(clock, { current: () => 4 })];
    const ids = Array.from({ length: 300 }, () => [a(), b()]);
    const mine = ids.map(([id]) => id!);
    expect(new Set(ids.flat()).size).toBe(600);
    expect(mine).toEqual([...mine].sort((x, y) => x - y));
    expect(Math.max(...mine)).toBeLessThan(2 ** 53);
  });

  it('are not issued while another process may have the number', () => {
    let leased: number | undefined = 3;
    const next = numberIds(() => Date.UTC(2026, 0, 1), { current: () => leased });
    const first = next();
    leased = undefined;
    expect(next).toThrow(expect.objectContaining({ kind: 'unavailable', effect: 'none' }));
    leased = 5;
    expect(next()).toBeGreaterThan(first);
  });

  it('contain the time of their creation', () => {
    const at = Date.UTC(2031, 5, 7, 1, 2, 3, 456);
    const next = numberIds(() => at, { current: () => 31 });
    expect([next(), next()].map((id) => createdAtOf(BigInt(id)))).toEqual([at, at]);
  });
});
