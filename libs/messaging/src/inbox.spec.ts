import { describe, expect, it } from '@jest/globals';
import { InboxContent, MessageAccepted } from '@tidings/events';
import fc from 'fast-check';
import { dayOf, inboxImageOf, inboxRemovalOf, lastRemovalOf } from './inbox.ts';

const at = new Date('2026-03-10T23:59:59Z');
const removalOf = (inbox: Partial<InboxContent>): string =>
  inboxRemovalOf(InboxContent.fromPartial(inbox), at).toISOString();

describe('inboxRemovalOf', () => {
  it.each([
    ['on the next day', {}, '2026-03-11T00:00:01.000Z'],
    ['some days later', { days: 30 }, '2026-04-09T00:00:01.000Z'],
    ['on its day', { removalDay: dayOf(new Date('2026-05-01')) }, '2026-05-01T00:00:01.000Z'],
    ['on its day rather than after some days', { removalDay: dayOf(at) + 5, days: 2 }, '2026-03-15T00:00:01.000Z'],
  ])('removes an entry %s (R-I21)', (_, inbox, removal) => {
    expect(removalOf(inbox)).toBe(removal);
  });
});

describe('lastRemovalOf', () => {
  it('does not exist for a message without entries', () => {
    expect(lastRemovalOf(MessageAccepted.fromPartial({ content: {} }), at)).toBeUndefined();
  });

  it('comes after the removal of every entry that is saved within a day of the send date', () => {
    const days = fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined });
    fc.assert(
      fc.property(days, fc.nat(365 * 86_400_000), fc.nat(86_400_000), (days, aheadMs, lateMs) => {
        const inbox = InboxContent.fromPartial(days === undefined ? {} : { days });
        const sendAt = new Date(at.getTime() + aheadMs);
        const last = lastRemovalOf(MessageAccepted.fromPartial({ sendAt, content: { inbox } }), at)!;
        expect(last >= inboxRemovalOf(inbox, new Date(sendAt.getTime() + lateMs))).toBe(true);
      }),
    );
  });
});

describe('the picture of an entry', () => {
  const inbox = InboxContent.fromPartial({
    image: 'base',
    pictures: [
      { platform: 0, language: 'en', image: 'en' },
      { platform: 0, language: 'de', image: 'de' },
      { platform: 3, language: 'default', image: 'droid' },
      { platform: 3, language: 'fr', image: 'droide' },
    ],
  });

  it.each([
    [1, 'de', 'de'],
    [1, 'fr', 'en'],
    [1, '', 'en'],
    [3, 'fr', 'droide'],
    [3, 'de', 'droid'],
  ])('is that of the platform, or else the common one, for a language: %i %j', (platform, language, image) => {
    expect(inboxImageOf(inbox, platform, language)).toBe(image);
  });

  it('is that of the message if no block differs, or none is for the platform', () => {
    expect(inboxImageOf(InboxContent.fromPartial({ image: 'base' }), 1, 'de')).toBe('base');
    const own = InboxContent.fromPartial({
      image: 'base',
      pictures: [{ platform: 3, language: 'en', image: 'droid' }],
    });
    expect(inboxImageOf(own, 1, 'en')).toBe('base');
    expect(inboxImageOf(InboxContent.fromPartial({}), 1, 'en')).toBeUndefined();
  });
});
