import { createSubscription } from './createSubscription.ts';

const CODE = 'C3F8-C3863ED4-334AD4F1';
const parsed = (more: object) =>
  createSubscription.parse({ endpoint: 'https://events.example/', events: ['Push Sent'], ...more });

it.each([
  [{ endpoint: 'https://events.example/'.padEnd(2049, 'x') }, 'endpoint: must be 1 to 2048 characters'],
  [{ endpoint: 'ftp://events.example/' }, 'endpoint: must be an address that begins with grpc://'],
  [{ events: ['Push Bounced'] }, 'events[0]: '],
  [{ message_codes: [`${CODE}0`] }, 'message_codes[0]: must be 1 to 22 characters'],
  [{ message_codes: Array(1001).fill(CODE) }, 'message_codes: at most 1000 entries'],
])('createSubscription refuses values beyond a limit (R-EV1): %#', (more, text) => {
  expect(() => parsed(more)).toThrow(text);
});

it('createSubscription accepts an endpoint and a list of full length', () => {
  const endpoint = 'https://events.example/'.padEnd(2048, 'x');
  const codes = Array.from({ length: 1000 }, (_, n) => `C3F8-C3863ED4-${String(n).padStart(8, '0')}`);
  expect(parsed({ endpoint, message_codes: codes })).toMatchObject({ endpoint, messageCodes: codes });
  expect(parsed({ message_codes: [CODE.toLowerCase(), CODE] })).toMatchObject({ messageCodes: [CODE] });
});
