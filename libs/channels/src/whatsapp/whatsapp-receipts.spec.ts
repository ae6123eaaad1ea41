import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { arrivedIn, isSignedByWhatsApp } from './whatsapp-receipts.ts';

const body = (...statuses: readonly unknown[]) => ({ entry: [{ changes: [{ value: { statuses } }] }] });
const status = (word: string, key: unknown) => ({ id: 'wamid.1', status: word, biz_opaque_callback_data: key });

describe('receipts of WhatsApp', () => {
  it.each([
    ['delivered', true],
    ['read', true],
    ['played', true],
    ['sent', false],
    ['failed', false],
    ['deleted', false],
  ])('determine for the status %s whether the message arrived: %s', (word, arrived) => {
    expect(arrivedIn(body(status(word, 'a')), 1)).toEqual(arrived ? ['a'] : []);
  });

  it('are those of all entries and changes, each message once', () => {
    const twice = {
      entry: [...body(status('delivered', 'a')).entry, ...body(status('read', 'a'), status('read', 'b')).entry],
    };
    expect(arrivedIn(twice, 3)).toEqual(['a', 'b']);
  });

  it.each([
    {},
    { entry: 7 },
    { entry: [null, { changes: [{ value: { messages: [{ id: 'wamid.2' }] } }] }] },
    body(null, status('delivered', undefined), status('delivered', 7)),
  ])('do not exist in a body without them (%#)', (other) => {
    expect(arrivedIn(other, 10)).toEqual([]);
  });

  it('are refused beyond the number that WhatsApp sends', () => {
    expect(arrivedIn(body(...Array.from({ length: 3 }, () => status('sent', 'a'))), 2)).toBeUndefined();
  });

  it('are genuine with the signature of exactly these bytes', () => {
    const bytes = Buffer.from('{"entry":[]}');
    const signed = (secret: string, of: Buffer) => `sha256=${createHmac('sha256', secret).update(of).digest('hex')}`;
    expect(isSignedByWhatsApp('secret', bytes, signed('secret', bytes))).toBe(true);
    expect(isSignedByWhatsApp('secret', bytes, signed('secret', bytes).toUpperCase().replace('SHA', 'sha'))).toBe(true);
    for (const other of [
      undefined,
      '',
      'sha256=',
      'sha256=00',
      signed('other', bytes),
      signed('secret', Buffer.from('{}')),
    ]) {
      expect(isSignedByWhatsApp('secret', bytes, other)).toBe(false);
    }
  });
});
