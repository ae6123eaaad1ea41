import { type EnteredZone, isSend, sendingZones } from './visit.ts';

const AT = new Date('2026-01-05T12:00:00Z');
const before = (seconds: number): Date => new Date(AT.getTime() - seconds * 1000);
const cluster = { code: 'E1', cooldownSeconds: 600 };
const zone = (id: number, more: Partial<EnteredZone['zone']> = {}, of?: typeof cluster): EnteredZone => ({
  zone: { id: BigInt(id), cooldownSeconds: 60, content: '"Hi"', preset: '', ...more },
  cluster: of,
});
const anna = { hwidHash: 'phone', user: 'anna' };

function sent(entered: readonly EnteredZone[], history: readonly [EnteredZone, number, typeof anna?][] = []): number[] {
  const last = new Map<string, Date>();
  for (const [each, ago, who = anna] of history) {
    for (const { cooldowns } of sendingZones([each], who, () => undefined, before(ago))) {
      for (const { id } of cooldowns) last.set(id, before(ago));
    }
  }
  return sendingZones(entered, anna, (id) => last.get(id), AT).map(
    ({
      entered: {
        zone: { id },
      },
    }) => Number(id),
  );
}

describe('a zone entry (R-F4)', () => {
  it('sends from every zone, in order', () => expect(sent([zone(2), zone(1)])).toEqual([2, 1]));

  it.each([
    [59, []],
    [60, [1]],
  ])('sends again after the cooldown: %d s', (ago, ids) => expect(sent([zone(1)], [[zone(1), ago]])).toEqual(ids));

  it.each([0, -5])('sends at each report with cooldown 0, also if a later one was decided before: %d s', (ago) => {
    expect(sent([zone(1, { cooldownSeconds: 0 })], [[zone(1), ago]])).toEqual([1]);
    const often = { code: 'E1', cooldownSeconds: 0 };
    const both = [zone(1, { cooldownSeconds: 0 }, often), zone(2, { cooldownSeconds: 0 }, often)];
    expect(sent(both, [[both[0]!, ago]])).toEqual([1, 2]);
  });

  it('counts for a device of the control group as for others, and begins no cooldown', () => {
    const held = { ...anna, isExcluded: true };
    const both = [zone(1, {}, cluster), zone(2, {}, cluster)];
    const entered = (since: Date | undefined) => sendingZones(both, held, () => since, AT);
    expect(entered(undefined)).toEqual(both.map((each) => ({ entered: each, cooldowns: [] })));
    expect(entered(before(30))).toEqual([]);
  });

  it('sends to each device of a user, outside of clusters', () =>
    expect(sent([zone(1)], [[zone(1), 10, { hwidHash: 'tablet', user: 'anna' }]])).toEqual([1]));

  it('sends the same message from one zone of a cluster only', () => {
    expect(sent([zone(1, {}, cluster), zone(2, {}, cluster), zone(3)])).toEqual([1, 3]);
    expect(sent([zone(1, {}, cluster), zone(2, { content: '"Ho"' }, cluster)])).toEqual([1, 2]);
    const ofPreset = { preset: 'D1', content: '' };
    expect(sent([zone(1, ofPreset, cluster), zone(2, ofPreset, cluster)])).toEqual([1]);
    expect(sent([zone(1, { preset: 'D1' }, cluster), zone(2, { preset: 'D1', content: '"Ho"' }, cluster)])).toEqual([
      1,
    ]);
  });

  it.each([
    ['"Hi"', '{"default":"Hi"}', true],
    ['{"en":"Hi","de":"Hallo"}', '{"DE":"Hallo","fr":null,"EN":"Hi"}', true],
    ['5', '"5"', true],
    ['{"en":"Hi"}', '"Hi"', false],
    ['{"default":"Hi","de":"Hallo"}', '"Hi"', false],
  ])('recognises the same message in any form: %s and %s', (first, second, isSame) => {
    const [one, two] = [zone(1, { content: first }, cluster), zone(2, { content: second }, cluster)];
    expect(sent([one, two])).toEqual(isSame ? [1] : [1, 2]);
  });

  it('sends to a user once within the cooldown of a cluster, for all devices', () => {
    const tablet = { hwidHash: 'tablet', user: 'anna' };
    expect(sent([zone(2, {}, cluster)], [[zone(1, {}, cluster), 599, tablet]])).toEqual([]);
    expect(sent([zone(2, {}, cluster)], [[zone(1, {}, cluster), 600, tablet]])).toEqual([2]);
    expect(sent([zone(2, {}, cluster)], [[zone(1, {}, cluster), 10, { hwidHash: 'x', user: 'ben' }]])).toEqual([2]);
  });

  it('starts no cooldown if it does not send', () => {
    // Zone 1 is blocked by its cluster: its own cooldown has not begun, and zone 2 outside of the cluster sends.
    const [{ cooldowns } = { cooldowns: [] }] = sendingZones([zone(2)], anna, () => undefined, AT);
    expect(cooldowns).toEqual([{ id: '2/phone', seconds: 60 }]);
    expect(sendingZones([zone(1, {}, cluster)], anna, (id) => (id.startsWith('E1') ? AT : undefined), AT)).toEqual([]);
  });
});

describe('a send (R-F4)', () => {
  const phone = { platform: 3, hasToken: true };
  it.each([
    ['of a zone without a preset', phone, [], true],
    ['of a preset for its platform', phone, [1, 3], true],
    ['of a preset for other platforms', phone, [1], false],
    ['without a push token', { ...phone, hasToken: false }, [], false],
  ])('is decided for a device %s', (_, device, platforms, expected) =>
    expect(isSend(device, platforms)).toBe(expected),
  );
});
