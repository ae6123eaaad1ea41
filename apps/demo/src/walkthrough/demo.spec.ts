import { describe, expect, it } from '@jest/globals';
import { all } from './all.ts';
import { faultsIn, faultsInPushes, figuresTable, type Testimony } from './checks.ts';
import { expected, ofFunnel, ofLedger, ofMetrics } from './figures.ts';
import { deviceOf, isAddressed, platforms, textFor } from './demo-population.ts';

const devices = Array.from({ length: 1000 }, (_, n) => deviceOf(n));
const addressed = devices.filter(isAddressed);

const testimony = (platform: Testimony['platform']): Testimony => {
  const figures = expected(addressed, platform);
  return {
    platform,
    expected: figures,
    metrics: { ...figures, audience: undefined },
    funnel: figures,
    ledger: { sent: figures.sent, failed: figures.failed, throttled: 3, duplicates: 0 },
  };
};

describe('the devices of the demo', () => {
  it('are all different, on all platforms, in four languages', () => {
    expect(new Set(devices.map(({ hwid }) => hwid)).size).toBe(devices.length);
    const tokens = devices.map(({ token }) => token).filter((token) => token !== '');
    expect(new Set(tokens).size).toBe(tokens.length);
    for (const { token } of devices.filter(
      ({ platform, outcome }) => platform.code === 1 && outcome !== 'has no token',
    )) {
      expect(token).toMatch(/^[0-9a-f]{64}$/);
    }
    const kinds = new Set(devices.map(({ platform, language }) => `${platform.name} ${language}`));
    expect(kinds.size).toBe(16);
  });

  it('cover every platform and outcome even when there are only 100', () => {
    const few = devices.slice(0, 100);
    const outcomes = few
      .filter((device) => isAddressed(device))
      .map(({ platform, outcome }) => `${platform.name} ${outcome}`);
    for (const { name } of platforms) {
      expect(new Set(outcomes)).toEqual(
        expect.objectContaining(new Set([`${name} accepts`, `${name} dead`, `${name} told to wait once`])),
      );
    }
    expect(few.some(({ outcome }) => outcome === 'has no token')).toBe(true);
    expect(few.some((device) => !isAddressed(device))).toBe(true);
  });

  it('are shown their own text', () => {
    const texts = devices.slice(0, 112).map(textFor);
    expect(texts).toContain('Hello Anna, your week in numbers is here');
    expect(texts).toContain('Hola amigo, tu semana en números está aquí');
    for (const text of texts) expect(text).not.toContain('{');
  });
});

describe('the figures of the demo', () => {
  const [ios] = platforms;

  it('keep the invariants of the funnel', () => {
    for (const platform of platforms) {
      const { audience, sent, failed, confirmed, opened } = expected(addressed, platform) as Required<
        ReturnType<typeof expected>
      >;
      expect(audience).toBe(sent + failed);
      expect(opened).toBeLessThan(confirmed);
      expect(confirmed).toBeLessThan(sent);
    }
  });

  it('are read from metrics, funnel and ledger', () => {
    const metrics = { platform: 1, sends: 5, opens: 2, deliveries: 4, inbox_opens: 0, unshowable_sends: 0, errors: 1 };
    const message = { push_info: { follow_user_timezone: false, metrics: [metrics] } };
    expect(ofMetrics(message as unknown as Parameters<typeof ofMetrics>[0], ios)).toEqual({
      sent: 5,
      failed: 1,
      confirmed: 4,
      opened: 2,
    });
    expect(ofMetrics(undefined, ios).sent).toBe(0);

    const of = (count: string) => ({ count, platforms: [{ platform: 1, count }] });
    const stages = { STAGE_AUDIENCE: '6', STAGE_SENT: '5', STAGE_ERRORS: '1', STAGE_OPENED: '2' };
    const funnel = {
      channels: [
        {
          channel: 'CHANNEL_MOBILE_PUSH',
          confirmed_deliveries: of('4'),
          funnel: Object.entries(stages).map(([stage, count]) => ({ stage, ...of(count) })),
        },
      ],
    };
    expect(ofFunnel(funnel as unknown as Parameters<typeof ofFunnel>[0], ios)).toEqual({
      audience: 6,
      sent: 5,
      failed: 1,
      confirmed: 4,
      opened: 2,
    });
    expect(
      ofLedger({ byReason: { accepted: 5, Unregistered: 1, TooManyRequests: 2 }, tokens: 5, duplicates: 0 }),
    ).toEqual({ sent: 5, failed: 1, throttled: 2, duplicates: 0 });
  });

  it('agree, or the differences are reported', () => {
    const honest = platforms.map(testimony);
    expect(faultsIn(honest)).toEqual([]);
    expect(figuresTable(honest)).toMatch(/iOS {6}sent +\d+ +\d+ +\d+ +\d+ +yes/);

    const [first, second] = honest as [Testimony, Testimony];
    const off = { ...first, funnel: { ...first.funnel, opened: first.funnel.opened! - 1 } };
    expect(faultsIn([off, second])).toEqual(['iOS: opened differs']);
    expect(figuresTable([off, second])).toMatch(/iOS {6}opened .* NO/);
    expect(faultsIn([first, { ...second, ledger: { ...second.ledger, duplicates: 2 } }])).toHaveLength(1);
  });

  it('compare every push with its device', () => {
    const reached = addressed.filter(({ outcome }) => outcome !== 'dead');
    const pushes = reached.map((device) => ({ token: device.token, hash: 'P', payload: `{"x":"${textFor(device)}"}` }));
    expect(faultsInPushes(addressed, pushes)).toEqual([]);
    expect(faultsInPushes(addressed, pushes.slice(1))).toEqual([`${reached[0]!.hwid} got nothing`]);
    expect(faultsInPushes(addressed, [...pushes, { token: 'foreign', hash: '', payload: '' }])).toHaveLength(1);
    expect(faultsInPushes(addressed, [{ ...pushes[0]!, payload: 'other' }, ...pushes.slice(1)])).toHaveLength(1);
  });
});

describe('all', () => {
  it('does everything, within the limit of concurrency', async () => {
    let under = 0;
    let most = 0;
    const done: number[] = [];
    await all(
      Array.from({ length: 250 }, (_, i) => i),
      7,
      async (item) => {
        most = Math.max(most, ++under);
        await Promise.resolve();
        under--;
        done.push(item);
      },
    );
    expect([done.length, most]).toEqual([250, 7]);
    await expect(all([1], 2, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  });
});
