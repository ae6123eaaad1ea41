import { expect, it } from '@jest/globals';
import { MessageAccepted } from '@tidings/events';
import { sizeOf } from './size-of.ts';

it('the size of a message is about that of its texts and attachments, in any field', () => {
  const attachments = ['a.pdf', 'b.pdf'].map((name) => ({ name, content: Buffer.alloc(700_000) }));
  const body = { entries: ['en', 'de'].map((language) => ({ language, text: 'x'.repeat(200_000) })) };
  const size = sizeOf(MessageAccepted.fromPartial({ content: { text: body, email: { attachments } } }));
  expect(size).toBeGreaterThan(1_800_000);
  expect(size).toBeLessThan(1_802_000);
  expect(sizeOf(MessageAccepted.fromPartial({ sendAt: new Date(), campaignId: 1n }))).toBeLessThan(1_000);
});
