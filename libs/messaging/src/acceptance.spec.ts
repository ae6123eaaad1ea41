import { describe, expect, it } from '@jest/globals';
import { MessageAccepted, PastOffsets, Preset } from '@tidings/events';
import { Platform } from '@tidings/kernel';
import {
  datesAhead,
  MAX_AHEAD_MS,
  refuseFirst,
  refusedEmailPreset,
  refusedInboxDate,
  refusedSendDate,
  refusedSize,
  refuseTotal,
} from './acceptance.ts';
import { dayOf } from './inbox.ts';

const HOUR_MS = 3_600_000;
const now = new Date('2026-01-15T12:00:00Z');
const inHours = (hours: number): Date => new Date(now.getTime() + hours * HOUR_MS);
const message = (more: Parameters<typeof MessageAccepted.fromPartial>[0]) => MessageAccepted.fromPartial(more);

describe('a send date', () => {
  it.each([
    ['a year ahead', new Date(now.getTime() + MAX_AHEAD_MS), undefined],
    ['a millisecond more', new Date(now.getTime() + MAX_AHEAD_MS + 1), 'tooFarAhead'],
    ['in the past', inHours(-1), undefined],
    ['not given', undefined, undefined],
  ])('%s is refused with %s (R-I7)', (_, sendAt, reason) => {
    expect(refusedSendDate(message({ sendAt }), now)?.reason).toBe(reason);
  });

  it('is ahead as long as it is ahead in UTC or for a recipient (R-I9)', () => {
    const local = (hours: number, pastOffsets: PastOffsets = PastOffsets.PAST_OFFSETS_SEND_IMMEDIATELY) => {
      const localTime = { wallAt: inHours(hours), defaultAt: inHours(hours), pastOffsets };
      return datesAhead(message({ sendAt: inHours(hours), localTime }), now);
    };
    expect(datesAhead(message({ sendAt: inHours(1) }), now)).toEqual({ sendAt: inHours(1) });
    expect(datesAhead(message({ sendAt: now }), now)).toEqual({});
    expect(local(-12)).toEqual({});
    expect(local(-11)).toMatchObject({ sendAt: inHours(-11), localTime: { wallAt: inHours(-11) } });
    expect(local(-12, PastOffsets.PAST_OFFSETS_SKIP)).toMatchObject({ sendAt: inHours(-12) });
  });
});

it('an entry in inboxes is refused without a removal after the day of the send, by any of its blocks (R-I21)', () => {
  const today = dayOf(now);
  const reason = (removalDay: number, sendAt?: Date, ...days: number[]) =>
    refusedInboxDate(
      message({
        sendAt,
        content: { inbox: { removalDay, removals: days.map((day) => ({ platform: 1, removalDay: day })) } },
      }),
      now,
    )?.reason;
  expect([reason(today), reason(today + 1), reason(today + 1, inHours(24)), reason(today + 2, inHours(24))]).toEqual([
    'notAfterSend',
    undefined,
    'notAfterSend',
    undefined,
  ]);
  expect(reason(today + 1, inHours(-48))).toBeUndefined();
  expect(reason(today + 2, undefined, today + 2, today)).toBe('notAfterSend');
});

it('a preset of an e-mail is refused if it has another platform or no approval (R-E7)', () => {
  const preset = (platform: number) => Preset.fromPartial({ platforms: [platform] });
  expect(refusedEmailPreset({ preset: preset(Platform.Email), unapproved: false })).toBeUndefined();
  expect(refusedEmailPreset({ preset: preset(Platform.Email), unapproved: true })).toBe('notApproved');
  expect(refusedEmailPreset({ preset: preset(Platform.iOS), unapproved: true })).toBe('notEmailPreset');
});

describe('messages', () => {
  const MIB = 1 << 20;

  it('are at most 2 MiB with 256 tags each, and 32 MiB together', () => {
    expect(refusedSize({ notification: 0, bytes: 2 * MIB, tags: 256 })).toBeUndefined();
    expect(refusedSize({ notification: 0, bytes: 2 * MIB + 1, tags: 0 })?.reason).toBe('messageTooLarge');
    expect(refusedSize({ notification: 0, bytes: 1, tags: 257 })?.reason).toBe('tooManyTags');
    const sizes = (count: number) =>
      Array.from({ length: count }, () => ({ notification: 0, bytes: 2 * MIB, tags: 0 }));
    expect(() => refuseTotal(sizes(16))).not.toThrow();
    expect(() => refuseTotal(sizes(17))).toThrow('request: messagesTooLarge');
  });

  it('are refused for the first rule that refuses one, by its position in the request', () => {
    const rule = ({ notification }: { notification: number }) =>
      notification > 3 ? { reason: 'notFound' as const, field: 'preset' as const } : undefined;
    const refusal = { reason: 'notFound', field: 'preset', notification: 4 };
    expect(() => refuseFirst([{ notification: 1 }, { notification: 4 }, { notification: 5 }], rule)).toThrow(
      expect.objectContaining({ refusal }),
    );
  });
});
