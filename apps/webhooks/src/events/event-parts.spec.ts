import { expect, it } from '@jest/globals';
import { EnqueuedKind, MessageAccepted } from '@tidings/events';
import { Platform } from '@tidings/kernel';
import { WebhookRequest } from '@tidings/rpc';
import { createSecretKey } from 'node:crypto';
import { EventParts, prepareMessage } from './event-parts.ts';

const entries = [
  { language: 'default', text: 'Hello' },
  { language: 'de', text: 'Hallo' },
];
const message = {
  code: 'AF0B-EEFE4D5E-E445B2E9',
  bucket: 0,
  id: 20n,
  account: 'a',
  accepted: MessageAccepted.fromPartial({ content: { text: { entries } } }),
};
const enqueued = {
  message: message.code,
  bucket: 0,
  application: 'AAAAA-00001',
  chunk: 1,
  platform: Platform.iOS,
  kind: EnqueuedKind.ENQUEUED_KIND_DELIVERED,
  variant: 'alert',
  slice: 0,
  entry: undefined,
  details: undefined,
};

it('attributes are compiled once for each language of the message, and for all other languages together', () => {
  const prepared = prepareMessage(message, createSecretKey(new Uint8Array(32)));
  const parts = new EventParts(prepared, enqueued);
  const bodyIn = (language: string): string | undefined => {
    const device = { hwid: 'device-1', userId: 'user-1', language, values: [], payload: '{}', at: 1 };
    return WebhookRequest.decode(parts.event(device).bytes).attributes?.pushBody;
  };
  const bodies = ['de', '', 'fr', 'it', 'pt-br', 'de'].map(bodyIn);
  expect(bodies).toEqual(['Hallo', 'Hello', 'Hello', 'Hello', 'Hello', 'Hallo']);
  expect(prepared.attributes.size).toBe(2);
});
