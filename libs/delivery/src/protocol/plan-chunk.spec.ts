import { describe, expect, it } from '@jest/globals';
import type { ChunkPlanned } from '@tidings/events';
import { Bitmap, pushPlatforms } from '@tidings/kernel';
import fc from 'fast-check';
import { fieldBit, TOKEN_BIT } from '@tidings/channels';
import { TWO_VARIANTS_PLATFORM as BIRD, useChannelOfTwoVariants } from '@tidings/testing';
import { type Candidates, devicesOf, planChunk, type PlanRules } from './plan-chunk.ts';

interface Device {
  readonly position: number;
  readonly platform: number;
  readonly controlBucket: number;
  readonly token: boolean;
  readonly fields?: number;
}

const candidatesOf = (devices: readonly Device[]): Candidates => ({
  count: devices.length,
  positions: Uint16Array.from(devices, ({ position }) => position),
  platforms: Uint8Array.from(devices, ({ platform }) => platform),
  controlBuckets: Uint16Array.from(devices, ({ controlBucket }) => controlBucket),
  fields: Uint8Array.from(devices, ({ token, fields = 0 }) => (token ? TOKEN_BIT : 0) | fields),
});

const settings = fc.record({
  platform: fc.constantFrom(1, 3, 7, 11, 14),
  enabled: fc.boolean(),
  configured: fc.boolean(),
  credentialVersion: fc.constant(1),
});

const rules: fc.Arbitrary<PlanRules> = fc.record({
  chunk: fc.nat(3),
  named: fc.boolean(),
  transactional: fc.boolean(),
  platforms: fc.subarray([1, 3, 7, 14]),
  content: fc.constant(undefined),
  application: fc.option(
    fc.record({
      platforms: fc.uniqueArray(settings, { selector: ({ platform }) => platform }),
      controlGroupPercentage: fc.constantFrom(0, 25, 100),
    }),
    { nil: undefined },
  ),
  capped: fc.option(
    fc.uniqueArray(fc.nat(65_535), { maxLength: 50 }).map((positions) => Bitmap.of(positions)),
    { nil: undefined },
  ),
  at: fc.constant(new Date('2026-01-01T10:20:30Z')),
});

const devices = fc.uniqueArray(
  fc.record({
    position: fc.nat(65_535),
    platform: fc.constantFrom(1, 3, 7, 11, 14),
    controlBucket: fc.nat(9_999),
    token: fc.boolean(),
  }),
  { selector: ({ position }) => position, maxLength: 200 },
);

const members = (of: readonly { readonly set: Buffer }[]): number[] =>
  of.flatMap(({ set }) => [...Bitmap.decode(set).positions()]).sort((a, b) => a - b);

const setsWith = (plan: ChunkPlanned, position: number): string[] => {
  const has = ({ set }: { readonly set: Buffer }): boolean => Bitmap.decode(set).has(position);
  return [
    ...plan.excluded.filter(has).map(({ reason }) => reason),
    ...plan.eligible.filter(has).map(() => 'eligible'),
    ...plan.failed.filter(has).map(({ category }) => category),
    ...plan.sendable.filter(has).map(({ platform, variant }) => `${variant} to ${platform}`),
  ];
};

describe('planChunk', () => {
  it('excludes only the devices of earlier plans', () => {
    fc.assert(
      fc.property(devices, rules, fc.func(fc.boolean()), (drawn, given, isEarlier) => {
        const both = { ...given, once: true };
        const earlier = devicesOf(planChunk(candidatesOf(drawn.filter(({ position }) => isEarlier(position))), both));
        const later = devicesOf(planChunk(candidatesOf(drawn), { ...both, earlier }));
        expect(Bitmap.areDisjoint([earlier, later])).toBe(true);
        expect(earlier.union(later).equals(devicesOf(planChunk(candidatesOf(drawn), given)))).toBe(true);
      }),
    );
  });

  it('conserves devices: addressed = excluded + eligible, eligible = failed + sendable, each once', () => {
    fc.assert(
      fc.property(devices, rules, (drawn, given) => {
        const plan = planChunk(candidatesOf(drawn), given);
        const platforms =
          given.platforms.length > 0
            ? given.platforms
            : given.named
              ? [1, 3, 7, 11, 14]
              : (pushPlatforms as readonly number[]);
        const addressed = drawn.filter(({ platform, token }) => platforms.includes(platform) && (token || given.named));
        const sorted = addressed.map(({ position }) => position).sort((a, b) => a - b);
        expect(members([...plan.excluded, ...plan.eligible])).toEqual(sorted);
        expect(members([...plan.failed, ...plan.sendable])).toEqual(members(plan.eligible));
      }),
    );
  });

  it('counts every device under its platform', () => {
    fc.assert(
      fc.property(devices, rules, (drawn, given) => {
        const plan = planChunk(candidatesOf(drawn), given);
        const platformAt = new Map(drawn.map(({ position, platform }) => [position, platform]));
        for (const { platform, set } of [...plan.eligible, ...plan.excluded, ...plan.failed, ...plan.sendable]) {
          for (const position of Bitmap.decode(set).positions()) expect(platformAt.get(position)).toBe(platform);
        }
      }),
    );
  });

  it('adds to the inbox the devices that are addressed and have no token, each once (R-H12)', () => {
    fc.assert(
      fc.property(devices, rules, (drawn, drawnRules) => {
        // A cap keeps nothing out of an inbox.
        const given = { ...drawnRules, capped: undefined };
        const removal = new Date('2026-01-02T00:00:01Z');
        const plan = planChunk(candidatesOf(drawn), { ...given, inboxRemoval: removal });
        const all = planChunk(candidatesOf(drawn.map((device) => ({ ...device, token: true }))), given);
        const { eligible, excluded } = plan.inbox!;
        expect(members([...plan.eligible, ...eligible])).toEqual(members(all.eligible));
        expect(members([...plan.excluded, ...excluded])).toEqual(members(all.excluded));
        expect(plan).toEqual({ ...planChunk(candidatesOf(drawn), given), inbox: plan.inbox });
        expect(plan.inbox!.removal).toBe(BigInt(removal.getTime() / 1000));
      }),
    );
  });

  it('does not depend on the order of the scan', () => {
    fc.assert(
      fc.property(devices, rules, (drawn, given) => {
        const sorted = [...drawn].sort((a, b) => a.position - b.position);
        expect(planChunk(candidatesOf(drawn), given)).toEqual(planChunk(candidatesOf(sorted), given));
      }),
    );
  });

  const at = new Date('2026-01-01T10:20:30Z');
  const iOS = { platform: 1, enabled: true, configured: true, credentialVersion: 1 };
  const one = (over: Partial<Device>, given: Partial<PlanRules>): string[] => {
    const device: Device = { position: 5, platform: 1, controlBucket: 0, token: true, ...over };
    const application = { platforms: [iOS] };
    const base: PlanRules = {
      chunk: 0,
      named: true,
      transactional: false,
      platforms: [],
      content: undefined,
      application,
      at,
    };
    return setsWith(planChunk(candidatesOf([device]), { ...base, ...given }), 5);
  };

  it('uses the first applicable cause', () => {
    expect(one({}, {})).toEqual(['eligible', 'alert to 1']);
    expect(one({ token: false }, { application: { platforms: [] } })).toEqual(['eligible', 'NO_TOKEN']);
    expect(one({}, { application: { platforms: [{ ...iOS, enabled: false }] } })).toEqual([
      'eligible',
      'PLATFORM_DISABLED',
    ]);
    expect(one({}, { application: { platforms: [{ ...iOS, configured: false }] } })).toEqual([
      'eligible',
      'INVALID_CONFIGURATION',
    ]);
    expect(one({ platform: 13 }, { application: { platforms: [{ ...iOS, platform: 13 }] } })).toEqual([
      'eligible',
      'INVALID_CONFIGURATION',
    ]);
    expect(one({}, { application: undefined })).toEqual(['eligible', 'INTERNAL_ERROR']);
  });

  it('excludes the control group from marketing only (R-E15, R-I13)', () => {
    const application = { platforms: [iOS], controlGroupPercentage: 12 };
    expect(one({ controlBucket: 1199 }, { application })).toEqual(['CONTROL_GROUP']);
    expect(one({ controlBucket: 1200 }, { application })).toEqual(['eligible', 'alert to 1']);
    expect(one({ controlBucket: 1199 }, { application, transactional: true })).toEqual(['eligible', 'alert to 1']);
  });

  it('excludes devices at the frequency cap last (R-H11, R-I12)', () => {
    const application = { platforms: [iOS], controlGroupPercentage: 12 };
    const capped = Bitmap.of([5]);
    expect(one({}, { capped })).toEqual(['FREQUENCY_CAPPING']);
    expect(one({ token: false }, { capped })).toEqual(['FREQUENCY_CAPPING']);
    expect(one({}, { capped, application })).toEqual(['CONTROL_GROUP']);
    expect(one({ controlBucket: 1200 }, { capped, application })).toEqual(['FREQUENCY_CAPPING']);
    expect(one({}, { capped, platforms: [3] })).toEqual([]);
    expect(one({ position: 6 }, { capped })).toEqual([]);
  });

  it('omits platforms that the message does not address (R-I5)', () => {
    expect(one({}, { platforms: [3] })).toEqual([]);
    expect(one({ platform: 14 }, { named: false })).toEqual([]);
    expect(one({ platform: 14 }, {})).toEqual(['eligible', 'PLATFORM_DISABLED']);
    expect(one({ token: false }, { named: false })).toEqual([]);
  });

  describe('a plan with several variants of a platform', () => {
    useChannelOfTwoVariants();
    const [publicKey, authToken, fcmToken] = [fieldBit('publicKey'), fieldBit('authToken'), fieldBit('fcmToken')];
    const rules = { application: { platforms: [{ ...iOS, platform: BIRD }] }, platforms: [BIRD] };
    const given = (token: boolean, fields: number): string[] => one({ platform: BIRD, token, fields }, rules);

    it.each([
      ['all fields of the preferred one', true, publicKey | authToken | fcmToken, 'sealed to 22'],
      ['a part of them, and the address of the next', true, publicKey | fcmToken, 'fcm to 22'],
      ['no push token, but the address of the next', false, fcmToken, 'fcm to 22'],
      ['only a push token', true, publicKey, 'sealed to 22'],
      ['neither', false, publicKey | authToken, 'NO_TOKEN'],
    ])('gives a device with %s its variant', (_, token, fields, expected) => {
      expect(given(token, fields)).toEqual(['eligible', expected]);
    });

    it('has a set of each variant', () => {
      const drawn = [publicKey | authToken, 0, fcmToken].map((fields, position) => {
        return { position, platform: BIRD, controlBucket: 0, token: fields !== fcmToken, fields };
      });
      const base = { chunk: 0, named: false, transactional: false, content: undefined, at, ...rules };
      const plan = planChunk(candidatesOf(drawn), base);
      const found = plan.sendable.map(({ variant, set }) => [variant, [...Bitmap.decode(set).positions()]]);
      expect(found).toEqual([
        ['sealed', [0, 1]],
        ['fcm', [2]],
      ]);
      expect(members(plan.eligible)).toEqual([0, 1, 2]);
    });
  });
});

describe('e-mail contacts without mail', () => {
  it('are excluded for the first reason that applies, before the control group and the frequency cap (R-H11)', () => {
    const candidates = candidatesOf(
      [0, 1, 2, 3, 4].map((position) => ({ position, platform: 14, controlBucket: 0, token: true })),
    );
    const planned = planChunk(candidates, {
      chunk: 0,
      named: true,
      transactional: false,
      platforms: [],
      content: undefined,
      at: new Date(0),
      application: {
        platforms: [{ platform: 14, enabled: true, configured: true, credentialVersion: 1 }],
        controlGroupPercentage: 100,
      },
      suppressed: [
        { reason: 'UNSUBSCRIBED', set: Bitmap.of([0, 1]) },
        { reason: 'BOUNCED', set: Bitmap.of([1, 2]) },
        { reason: 'COMPLAINT', set: Bitmap.of([0, 3]) },
      ],
      capped: Bitmap.of([2, 4]),
    });
    const excluded = planned.excluded.map(({ reason, set }) => [reason, [...Bitmap.decode(set).positions()]]);
    expect(excluded).toEqual([
      ['UNSUBSCRIBED', [0, 1]],
      ['BOUNCED', [2]],
      ['COMPLAINT', [3]],
      ['CONTROL_GROUP', [4]],
    ]);
    expect(planned.eligible).toEqual([]);
  });
});
