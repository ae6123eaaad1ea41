import { describe, expect, it } from '@jest/globals';
import { hasArrived, isSignedByTwilio, twilioCallback } from './twilio-receipts.ts';

// The example of Twilio's documentation of signatures.
const URL_IN_DOCS = 'https://example.com/myapp.php?foo=1&bar=2';
const form = new URLSearchParams({
  CallSid: 'CA1234567890ABCDE',
  Caller: '+14158675310',
  Digits: '1234',
  From: '+14158675310',
  To: '+18005551212',
});
const SIGNATURE = 'L/OH5YylLD5NRKLltdqwSvS0BnU=';

describe('the signature of Twilio', () => {
  it('is that of its documentation', () => {
    expect(isSignedByTwilio('12345', URL_IN_DOCS, form, SIGNATURE)).toBe(true);
    const backwards = new URLSearchParams([...form].toReversed());
    expect(isSignedByTwilio('12345', URL_IN_DOCS, backwards, SIGNATURE)).toBe(true);
  });

  it('may be that of the address with its usual port, or without a port', () => {
    expect(isSignedByTwilio('12345', 'https://example.com:443/myapp.php?foo=1&bar=2', form, SIGNATURE)).toBe(true);
    expect(isSignedByTwilio('12345', 'https://example.com:8443/myapp.php?foo=1&bar=2', form, SIGNATURE)).toBe(true);
  });

  it.each([
    ['another token', '12346', URL_IN_DOCS, form, SIGNATURE],
    ['another address', '12345', `${URL_IN_DOCS}0`, form, SIGNATURE],
    ['another field', '12345', URL_IN_DOCS, new URLSearchParams({ To: '+18005551212' }), SIGNATURE],
    ['no signature', '12345', URL_IN_DOCS, form, ''],
  ])('is not valid for %s', (_, token, url, fields, signature) => {
    expect(isSignedByTwilio(token, url, fields, signature)).toBe(false);
  });
});

it('a message has arrived when it is delivered or read', () => {
  const statuses = ['queued', 'sent', 'delivered', 'undelivered', 'failed', 'read'];
  const arrived = statuses.filter((MessageStatus) => hasArrived(new URLSearchParams({ MessageStatus })));
  expect(arrived).toEqual(['delivered', 'read']);
  expect(hasArrived(new URLSearchParams())).toBe(false);
});

it('a remote provider gets no address of this machine', () => {
  const twilio = 'https://api.twilio.com';
  for (const own of ['http://127.0.0.1:8080', 'http://localhost', 'http://[::1]:80']) {
    expect(twilioCallback(own, twilio, 'A')).toBeUndefined();
    expect(twilioCallback(own, 'http://127.0.0.1:9000', 'A')).toBe(`${own}/webhooks/twilio/A?p=`);
  }
  expect(twilioCallback('https://push.example', twilio, 'A')).toBe('https://push.example/webhooks/twilio/A?p=');
});
