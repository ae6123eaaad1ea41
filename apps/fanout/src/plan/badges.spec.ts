import { describe, expect, it } from '@jest/globals';
import { decodeBadges } from '@tidings/delivery';
import { BADGE_BLOCKS } from '@tidings/registry-store';
import { APP } from '@tidings/registry-store/testing';
import fc from 'fast-check';
import { badgeContent, badgeLog, counted, type Scanned } from '../testing/badge-log.ts';

const one = (base = 0, generation = 0): Scanned => ({ position: 7, base, generation });

async function shownOf(log: ReturnType<typeof badgeLog>, badges: readonly string[], device = one()): Promise<number[]> {
  const plans = badges.map((badge, i) => log.plan(`${badge} ${i}`, badgeContent(badge), [device]));
  return (await Promise.all(plans)).map((shown) => shown.get(device.position)!);
}

describe('the badges of plans (R-C9)', () => {
  it('count from each other before any is sent, in one commit and in several', async () => {
    const log = badgeLog();
    expect(await shownOf(log, ['+1', '+1', '+1'])).toEqual([1, 2, 3]);
    await log.restart();
    expect(await shownOf(log, ['+2', '5', '+4', '-10', '+01'])).toEqual([5, 5, 9, 0, 1]);
  });

  it('stay as they were decided when the plan is read again', async () => {
    const log = badgeLog();
    const plan = (message: string) => log.plan(message, badgeContent('+1'), [one()]);
    expect([await plan('a'), await plan('b'), await plan('a')].map((shown) => shown.get(7))).toEqual([1, 2, 1]);
    await log.fail('a', [7]);
    await log.restart();
    expect([await plan('a'), await plan('b'), await plan('c')].map((shown) => shown.get(7))).toEqual([1, 2, 2]);
  });

  it('are returned by unsent devices, once', async () => {
    const log = badgeLog();
    expect(await shownOf(log, ['+1', '+5', '+1'])).toEqual([1, 6, 7]);
    for (let i = 0; i < 3; i++) await log.fail('+5 1', [7]);
    await log.settle('+5 1');
    await log.fail('+5 1', [7]);
    expect(await shownOf(log, ['+0'])).toEqual([2]);
    await log.settle('+1 0');
    await log.fail('+1 2', [7]);
    expect(await shownOf(log, ['+00'])).toEqual([1]);
  });

  it('are returned also if they are absolute, or were below 0', async () => {
    const log = badgeLog();
    expect(await shownOf(log, ['+3', '9', '+1', '-20', '+1'], one(2, 1))).toEqual([5, 9, 10, 0, 1]);
    await log.fail('9 1', [7]);
    expect(await shownOf(log, ['+0'], one(2, 1))).toEqual([1]);
    await log.fail('-20 3', [7]);
    expect(await shownOf(log, ['+00'], one(2, 1))).toEqual([7]);
  });

  it('begin anew when the device sets its badge, even to the same number', async () => {
    const log = badgeLog();
    expect(await shownOf(log, ['+1', '+1'], one(5, 1))).toEqual([6, 7]);
    expect(await shownOf(log, ['+3'], one(5, 2))).toEqual([8]);
    // Those before have ended.
    await log.fail('+1 0', [7]);
    expect(await shownOf(log, ['+0'], one(5, 2))).toEqual([8]);
  });

  it('begin with the badge that the device has set, at any time of the scan', async () => {
    const log = badgeLog();
    expect(await shownOf(log, ['+1'], one(5, 1))).toEqual([6]);
    expect(await shownOf(log, ['+2'], one(0, 2))).toEqual([2]);
    const late = await log.plan('late', badgeContent('+1'), [one(5, 1)]);
    expect(late.get(7)).toBe(3);
  });

  it('follow the language of a device, for recipients', async () => {
    const log = badgeLog();
    const devices = [
      { ...one(), language: 'de' },
      { ...one(), position: 300, language: 'fr' },
      { ...one(), position: 9, language: 'it', hasToken: false },
    ];
    const content = badgeContent('1', { de: '+5', fr: '7', it: '+2' });
    expect(await log.plan('a', content, devices)).toEqual(
      new Map([
        [7, 5],
        [300, 7],
      ]),
    );
    expect([
      ...(await log.plan(
        'b',
        badgeContent('+1'),
        devices.map((each) => ({ ...each, hasToken: true })),
      )),
    ]).toEqual([
      [7, 6],
      [9, 1],
      [300, 8],
    ]);
  });

  it('count for each bucket of a message', async () => {
    const log = badgeLog();
    const plan = (bucket: number) => log.plan('a', badgeContent('+1'), [one()], bucket);
    expect([(await plan(1)).get(7), (await plan(2)).get(7)]).toEqual([1, 2]);
    await log.fail('a', [7], 1);
    expect((await plan(3)).get(7)).toBe(2);
  });

  it('have a bounded number of open messages for a device', async () => {
    const log = badgeLog();
    for (let i = 0; i < 80; i++) await log.plan(`${i}`, badgeContent('+1'), [one()]);
    const stored = log.store.document({ collection: BADGE_BLOCKS, id: `${APP}/0/0` })!['rows'] as Uint8Array;
    expect(decodeBadges(stored).get(7)).toMatchObject({ by: 16, open: { length: 64 } });
    for (let i = 0; i < 80; i++) await log.settle(`${i}`);
    expect(await shownOf(log, ['+1'])).toEqual([81]);
  });

  it('are the base and the sent ones in the order of their plans, in any history', async () => {
    const positions = [3, 4, 200, 65_535];
    const badge = fc.oneof(
      fc.integer({ min: -4, max: 4 }).map((by) => (by < 0 ? `${by}` : `+${by}`)),
      fc.integer({ min: 0, max: 9 }).map(String),
    );
    const some = fc.subarray(positions, { minLength: 1 });
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ kind: fc.constant('plan' as const), badge, of: some }) },
      { weight: 3, arbitrary: fc.record({ kind: fc.constant('end' as const), which: fc.nat(50), sent: some }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('again' as const), which: fc.nat(50) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('set' as const), badge: fc.nat(9), of: some }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const log = badgeLog();
        const devices = new Map(
          positions.map((position) => [position, { base: 0, generation: 0, sends: [] as Send[] }]),
        );
        const plans: { readonly name: string; of: readonly number[]; failed?: number[] }[] = [];
        const plan = async (change: string, of: readonly number[]) => {
          const name = `m${plans.length}`;
          plans.push({ name, of });
          const scanned = of.map((position) => ({ position, ...devices.get(position)! }));
          const shown = await log.plan(name, badgeContent(change), scanned);
          for (const position of of) {
            const { base, sends } = devices.get(position)!;
            sends.push({ name, change });
            expect([position, shown.get(position)]).toEqual([
              position,
              counted(
                base,
                sends.map((each) => each.change),
              ),
            ]);
          }
        };
        for (const each of steps) {
          if (each.kind === 'plan') await plan(each.badge, each.of);
          if (each.kind === 'restart') await log.restart();
          if (each.kind === 'set') {
            for (const position of each.of) {
              const { generation } = devices.get(position)!;
              devices.set(position, { base: each.badge, generation: generation + 1, sends: [] });
            }
          }
          const found = 'which' in each ? plans[each.which % (plans.length || 1)] : undefined;
          if (!found) continue;
          // A repeated outcome may change nothing.
          if (each.kind === 'end' && !found.failed) {
            found.failed = found.of.filter((position) => !each.sent.includes(position));
            for (const position of found.failed) {
              const device = devices.get(position)!;
              device.sends = device.sends.filter(({ name }) => name !== found.name);
            }
          }
          await log.fail(found.name, found.failed ?? []);
          if (each.kind === 'end') await log.settle(found.name);
        }
        await plan('+0', positions);
      }),
      { numRuns: 150 },
    );
  });
});

interface Send {
  readonly name: string;
  readonly change: string;
}
