import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Kind } from '../behaviour.ts';
import { simulatedPhone } from '../phone-numbers.ts';
import { type Simulators, startSimulators } from '../simulators.ts';
import { hashOf } from '../testing/test-client.ts';

type Body = Readonly<Record<string, unknown>>;

const phone = (kind: Kind, n: number, argument?: number): string => simulatedPhone(kind, n, argument).slice(1);
const requestTo = (recipientNo: string, more: Body = {}): Body => ({
  senderKey: 'sender',
  templateCode: 'order',
  recipientList: [{ recipientNo, recipientGroupingKey: hashOf('m', 1), ...more }],
});

describe('the Bizmessage API of NHN Cloud', () => {
  let simulators: Simulators;
  beforeAll(async () => {
    simulators = await startSimulators({ control: false });
  });
  beforeEach(() => simulators.reset());
  afterAll(() => simulators.close());

  const post = async (body: Body | string, secret = 'secret', path = '/alimtalk/v2.3/appkeys/app/messages') => {
    const reply = await fetch(`${simulators.urlOf('kakao')}${path}`, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'x-secret-key': secret, 'content-type': 'application/json' },
    });
    const { header, message } = JSON.parse(await reply.text()) as { header: Body; message?: { sendResults: Body[] } };
    return { status: reply.status, headers: reply.headers, header, result: message?.sendResults[0]?.['resultCode'] };
  };

  it('accepts a request and each of its recipients', async () => {
    const number = phone('accepted', 1);
    expect(await post(requestTo(number, { templateParameter: { name: 'Anna' } }))).toMatchObject({
      status: 200,
      header: { isSuccessful: true, resultCode: 0 },
      result: 0,
    });
    expect(simulators.ledger.of('kakao').entries()).toMatchObject([{ token: number, hash: hashOf('m', 1) }]);
  });

  it.each<[Kind, number]>([
    ['dead', -1022],
    ['payloadRefused', -3049],
    ['badToken', -4000],
  ])('refuses the recipient of the kind %s with %i in an accepted request', async (kind, code) => {
    const { status, header, result } = await post(requestTo(phone(kind, 1)));
    expect([status, header['isSuccessful'], result]).toEqual([200, true, code]);
  });

  it.each<[Kind, number, number]>([
    ['throttled', 429, -9995],
    ['unavailable', 503, -9998],
    ['serverError', 500, -9999],
    ['wrongTopic', 200, -1006],
    ['expiredAuth', 200, -1001],
  ])('refuses requests of the kind %s with %i and code %i', async (kind, status, code) => {
    const seen = await post(requestTo(phone(kind, 1)));
    expect([seen.status, seen.header]).toMatchObject([status, { isSuccessful: false, resultCode: code }]);
    expect(seen.headers.has('retry-after')).toBe(status === 503);
  });

  it('refuses the kind reason with the code that it names', async () => {
    expect((await post(requestTo(phone('reason', 1, 1017)))).header).toMatchObject({ resultCode: -1017 });
    expect((await post(requestTo(phone('reason', 1, 3003)))).result).toBe(-3003);
  });

  it.each<[string, Body | string, number | undefined, number | undefined]>([
    ['what is no JSON', '{', -1006, undefined],
    ['no template', { ...requestTo('1'), templateCode: '' }, -2001, undefined],
    ['two recipients', { ...requestTo('1'), recipientList: [{}, {}] }, -2001, undefined],
    ['what is no number', requestTo('kakao:1'), 0, -1022],
    ['a long value', requestTo('1', { templateParameter: { a: 'x'.repeat(1001) } }), -3002, undefined],
    ['a whole text', requestTo('1', { content: 'Hello' }), -3002, undefined],
    ['a long grouping key', requestTo('1', { recipientGroupingKey: 'x'.repeat(101) }), -3002, undefined],
  ])('refuses %s', async (_, body, code, result) => {
    expect(await post(body)).toMatchObject({ header: { resultCode: code }, result });
  });

  it('accepts whole texts at a resource of their own, and refuses other paths and a missing secret', async () => {
    const raw = '/alimtalk/v2.3/appkeys/app/raw-messages';
    expect((await post(requestTo('1', { content: 'Hello' }), 'secret', raw)).result).toBe(0);
    expect((await post(requestTo('1'), 'secret', raw)).header).toMatchObject({ resultCode: -3002 });
    expect((await post(requestTo('1'), 'secret', '/messages')).header).toMatchObject({ resultCode: -1000 });
    expect((await post(requestTo('1'), '')).header).toMatchObject({ resultCode: -1001 });
  });
});
