import { afterAll, describe, expect, it } from '@jest/globals';
import { type DocumentedReply, documentedReplies } from '@tidings/testing';
import { definitions } from './channels.ts';
import { relayResults, smtpResult } from './email/email-results.ts';
import { connectionResults, clearNames, type SendResult, type Then, unlisted } from './send-results.ts';
import { smppResult, twilioRefusal } from './sms/sms-results.ts';
import { unusableKeys } from './webpush/webpush-results.ts';
import { foreignChannel } from './wns/wns-results.ts';

type ExpectedResults = Readonly<Record<string, (code: string, other: string) => SendResult>>;

const json = JSON.stringify;
const { apns, fcm, webpush, hms, adm, wns, line, kakao, whatsapp } = definitions;

const fcmReply = (errorCode: string, field: string): string =>
  json({ error: { status: 'X', details: [{ errorCode }, { fieldViolations: [{ field }] }] } });
const hmsReply = (code: string, msg: string): string => json({ code, msg });
const kakaoRecipient = (resultCode: number): string =>
  json({ header: { isSuccessful: true }, message: { sendResults: [{ resultCode, resultMessage: '' }] } });
const kakaoRequest = (resultCode: number): string => json({ header: { isSuccessful: false, resultCode } });
const lineReply = (message: string): string => json({ message });
const smtp = (stage: Parameters<typeof smtpResult>[0]) => (code: string) =>
  smtpResult(stage, Number(code.replace('xx', '50')), '');

const meanings: Readonly<Record<string, ExpectedResults>> = {
  APNs: { '#': (reason) => apns.refusal(400, json({ reason })).result },
  FCM: {
    '#': (code) => fcm.refusal(500, fcmReply(code, 'message.android.ttl')).result,
    '# that blames the token': (code) => fcm.refusal(400, fcmReply(code, 'message.token')).result,
    'another #': (code) => fcm.refusal(400, fcmReply(code, 'message.android.ttl')).result,
    '# without a code': (status) => fcm.refusal(Number(status), '{"error":{"status":"X"}}').result,
  },
  'Web push': {
    '#': (status) => webpush.refusal(Number(status), '').result,
    'subscription keys that are missing, or no point of the curve': () => unusableKeys,
    'an endpoint whose name has no public address': () => connectionResults.private_address,
  },
  'Push Kit': {
    '#': (code) => hms.refusal(200, hmsReply(code, '')).result,
    '# that lists the token': (code) => hms.refusal(200, hmsReply(code, json({ illegal_tokens: ['t'] }))).result,
    'HTTP # without a code': (status) => hms.refusal(Number(status), '{}').result,
  },
  ADM: {
    '#': (code) =>
      (/^\d/.test(code) ? adm.refusal(Number(code), '{}') : adm.refusal(400, json({ reason: code }))).result,
    '# with another registration id': (status) => adm.refusal(Number(status), '{"registrationID":"other"}').result,
  },
  WNS: {
    '#': (status) => wns.refusal(Number(status), '').result,
    '# with the status #': (status, state) => wns.refusal(Number(status), '', { 'x-wns-status': state }).result,
    'a channel URI of another host': () => foreignChannel,
  },
  SMTP: {
    'login refused by #': smtp('login'),
    'login required by #': smtp('recipient'),
    'sender refused by #': smtp('sender'),
    'recipient refused by #': smtp('recipient'),
    'content refused by #': smtp('content'),
    '# to any command': smtp('content'),
    'no reply before the mail itself was written': () => relayResults.noReply,
  },
  Kakao: {
    '#': (code) => kakao.refusal(200, kakaoRecipient(Number(code))).result,
    '# of the recipient': (code) => kakao.refusal(200, kakaoRecipient(Number(code))).result,
    '# of the request': (code) => kakao.refusal(200, kakaoRequest(Number(code))).result,
    'another code of the recipient': () => kakao.refusal(200, kakaoRecipient(-4000)).result,
    'another code of the request with HTTP #': (status) => kakao.refusal(Number(status), kakaoRequest(-9999)).result,
  },
  SMPP: { '#': (status) => smppResult(Number(status)), 'another status': () => smppResult(0x4321) },
  Twilio: {
    '#': (code) => twilioRefusal(400, json({ code: Number(code) })).result,
    '# without a code': (status) => twilioRefusal(Number(status), '{}').result,
  },
  LINE: {
    '#': (status) => line.refusal(Number(status), lineReply('')).result,
    'another #': (status) => line.refusal(Number(status), lineReply('another')).result,
    '# that names #': (status, name) => line.refusal(Number(status), lineReply(`The property, '${name}', is`)).result,
    '# for the limit of the month': (status) => line.refusal(Number(status), lineReply('your monthly limit')).result,
  },
  WhatsApp: { '#': (code) => whatsapp.refusal(400, json({ error: { code: Number(code), message: '' } })).result },
};

const retried = (more: Partial<Extract<Then, { do: 'retry' }>> = {}): Then => ({
  do: 'retry',
  firstWaitMs: 0,
  reconnect: false,
  throttles: 'asked',
  ...more,
});
const bounced = { bounce: expect.stringContaining('BOUNCED_') };

/** A first wait of a second is that of every retry (R-P1). */
const consequences: Readonly<Record<string, Pick<SendResult, 'then'> & { bounce?: unknown }>> = {
  'the token is invalidated': { then: { do: 'invalidate' } },
  final: { then: { do: 'final' } },
  'final, the token stays': { then: { do: 'final' } },
  'once, with a new provider token': { then: { do: 'once' } },
  'once, with a new access token': { then: { do: 'once' } },
  retried: { then: retried() },
  'retried, first after 10 s': { then: retried({ firstWaitMs: 10_000 }) },
  'retried, first after 60 s': { then: retried({ firstWaitMs: 60_000 }) },
  'retried on a new connection': { then: retried({ reconnect: true }) },
  'retried with the same retry key': { then: retried() },
  'retried; this device alone waits': { then: retried({ throttles: 'device' }) },
  'retried; this contact alone waits': { then: retried({ throttles: 'device' }) },
  'retried; others do not wait': { then: retried({ throttles: 'device' }) },
  'retried; the credential waits': { then: retried({ firstWaitMs: 1_000, throttles: 'credential' }) },
  'retried after 60 s; the credential waits': { then: retried({ firstWaitMs: 60_000, throttles: 'credential' }) },
  'retried; others do not wait; then a bounce (R-E18)': { then: retried({ throttles: 'device' }), ...bounced },
  'sent: a bounce (R-E18)': { then: { do: 'sent' }, ...bounced },
  'sent: a repeat, by its retry key': { then: { do: 'sent' } },
  'sent: the new id replaces the token': { then: { do: 'sent' } },
};

const all = documentedReplies();
const resultOf = ({ provider, phrase, codes: [code = '', other = ''] }: DocumentedReply): SendResult => {
  const resultFor = meanings[provider]?.[phrase];
  if (!resultFor) throw new Error(`${provider}: the spec cannot write a reply ${phrase}`);
  return resultFor(code, other);
};

afterAll(clearNames);

describe('T8: the replies of providers that R-P3 lists', () => {
  it('cover every channel', () => {
    expect([...new Set(all.map(({ provider }) => provider))].toSorted()).toEqual(Object.keys(meanings).toSorted());
    for (const [provider, resultFor] of Object.entries(meanings)) {
      const phrases = new Set(all.filter((each) => each.provider === provider).map(({ phrase }) => phrase));
      expect([provider, phrases]).toEqual([provider, new Set(Object.keys(resultFor))]);
    }
  });

  it.each([...Map.groupBy(all, ({ provider }) => provider)])(
    'have their category and consequence: %s',
    (_, replies) => {
      for (const reply of replies) {
        const { category, then, bounce } = resultOf(reply);
        const expected = consequences[reply.then];
        expect([reply, { category, then, bounce }]).toEqual([reply, { category: reply.category, ...expected }]);
      }
    },
  );

  const codesOf = (provider: string, phrases: readonly string[]): ReadonlySet<number> =>
    new Set(
      all
        .filter((each) => each.provider === provider && phrases.includes(each.phrase))
        .map(({ codes: [code] }) => Number(code)),
    );
  const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);
  const statuses = range(201, 599);
  const ofPushKit = [80_100_000, 80_200_000, 80_300_000, 80_600_000, 81_000_000].flatMap((n) => range(n, n + 99));
  /** A code without a row is judged by the status of the reply. */
  const ofCode = (): string => unlisted(404, '').category;
  const ofStatus = (status: number): string => unlisted(status, '').category;

  it.each<[string, readonly number[], (code: number) => SendResult, (code: number) => string]>([
    ['Web push', statuses, (status) => webpush.refusal(status, '').result, ofStatus],
    ['WNS', statuses, (status) => wns.refusal(status, '').result, ofStatus],
    ['LINE', statuses, (status) => line.refusal(status, lineReply('')).result, ofStatus],
    ['SMPP', range(1, 0x4ff), smppResult, () => 'UNCLASSIFIED_ERROR'],
    ['Push Kit', ofPushKit, (code) => hms.refusal(404, hmsReply(String(code), '')).result, ofCode],
    [
      'WhatsApp',
      [...range(0, 999), ...range(80_000, 80_099), ...range(130_000, 135_100)],
      (code) => whatsapp.refusal(404, json({ error: { code } })).result,
      ofCode,
    ],
    ['Twilio', range(20_000, 22_999), (code) => twilioRefusal(404, json({ code })).result, ofCode],
    ['Kakao', range(-9999, -1), (code) => kakao.refusal(200, kakaoRecipient(code)).result, ofCode],
  ])('are all that have a meaning of their own: %s', (provider, codes, resultFor, expected) => {
    // The limits and keys of a whole request are not results of a recipient.
    const listed = codesOf(
      provider,
      provider === 'Kakao' ? ['#', '# of the recipient'] : Object.keys(meanings[provider]!),
    );
    const wrong = codes.filter((code) => !listed.has(code) && resultFor(code).category !== expected(code));
    expect(wrong).toEqual([]);
  });
});
