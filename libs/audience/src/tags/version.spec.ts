import fc from 'fast-check';
import { isVersion, versionKey } from './version.ts';

/** R-RES11, part by part. */
function compare(a: string, b: string): number {
  const [left, right] = [a.split('.'), b.split('.')];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const [x, y] = [left[i] ?? '0', right[i] ?? '0'];
    const [m, n] = [BigInt(/^\d*/.exec(x)![0] || '0'), BigInt(/^\d*/.exec(y)![0] || '0')];
    if (m !== n) return m < n ? -1 : 1;
    const [s, t] = [x.replace(/^\d*/, ''), y.replace(/^\d*/, '')];
    if (s === t) continue;
    if (s === '' || t === '') return s === '' ? 1 : -1;
    return s < t ? -1 : 1;
  }
  return 0;
}

const order = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

const part = fc.oneof(
  fc.constantFrom('0', '1', '2', '9', '10', '00', '007'),
  fc.bigInt({ min: 0n, max: 10n ** 12n }).map(String),
);
const text = fc.oneof(
  fc.constant(''),
  fc.constantFrom('-', '-beta', '-beta.2', '+1', 'a', 'b', '_', '.', '..1', '-0'),
  fc.stringMatching(/^[-+._A-Za-z0-9]{0,6}$/),
);
const version = fc
  .tuple(fc.array(part, { minLength: 1, maxLength: 6 }), text)
  .map(([parts, rest]) => parts.join('.') + rest)
  .filter(isVersion);

describe('version keys', () => {
  it.each([
    ['1.0', '1.0.0', 0],
    ['1', '1.0.0.0', 0],
    ['01.2', '1.2', 0],
    ['1.0-beta', '1.0', -1],
    ['1.0-beta', '1', -1],
    ['1.0.0-beta', '1', -1],
    ['1.0-beta', '1.0.0-alpha', -1],
    ['1.9', '1.10', -1],
    ['1.0.1', '1.0.0.9', 1],
    ['2', '1.99.99', 1],
    ['1.0-alpha', '1.0-beta', -1],
    ['1.0-b', '1.0-beta', -1],
  ])('compare %s with %s as %i', (a, b, expected) => {
    expect(order(versionKey(a), versionKey(b))).toBe(expected);
    expect(compare(a, b)).toBe(expected);
  });

  it('compare as the versions do', () => {
    fc.assert(
      fc.property(version, version, (a, b) => {
        expect(order(versionKey(a), versionKey(b))).toBe(compare(a, b));
      }),
      { numRuns: 5000 },
    );
  });

  it('fit into an index', () => {
    fc.assert(fc.property(version, (v) => versionKey(v).length <= 200));
    expect(versionKey('1' + '.1'.repeat(31)).length).toBeLessThanOrEqual(200);
    expect(versionKey('1' + '.'.repeat(63)).length).toBeLessThanOrEqual(200);
  });

  it('exist for versions only', () => {
    expect(['1', '1.2', '10.0.0-rc.1+b', '1_x'].every(isVersion)).toBe(true);
    expect(['', 'v1', '-1', '1 2', '1!', '1'.repeat(65)].some(isVersion)).toBe(false);
  });
});
