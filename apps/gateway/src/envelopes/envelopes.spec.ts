import { api, type Family } from '@tidings/contract';
import { Fault, type FaultKind } from '@tidings/kernel';
import { envelopes } from './envelopes.ts';
import { json13Envelope } from './json13.ts';

const tables: Readonly<Record<Family, Readonly<Record<FaultKind, readonly [number, unknown]>>>> = {
  json13: {
    malformed: [400, { status_message: 'T', response: null }],
    unauthorized: [401, { status_message: 'T', response: null }],
    argument: [200, { status_code: 210, status_message: 'T', response: null }],
    notFound: [200, { status_code: 210, status_message: 'T', response: null }],
    conflict: [200, { status_code: 210, status_message: 'T', response: null }],
    forbidden: [403, { status_code: 403, status_message: 'T', response: null }],
    tooLarge: [413, { status_code: 413, status_message: 'T', response: null }],
    throttled: [429, { status_code: 429, status_message: 'T', response: null }],
    unavailable: [500, { status_code: 500, status_message: 'Internal error', response: null }],
    bug: [500, { status_code: 500, status_message: 'Internal error', response: null }],
  },
  apiV2: {
    malformed: [400, { code: 3, message: 'T', details: [] }],
    argument: [400, { code: 3, message: 'T', details: [] }],
    conflict: [400, { code: 3, message: 'T', details: [] }],
    notFound: [404, { code: 5, message: 'T', details: [] }],
    forbidden: [403, { code: 7, message: 'T', details: [] }],
    throttled: [429, { code: 8, message: 'T', details: [] }],
    unauthorized: [401, { code: 16, message: 'T', details: [] }],
    tooLarge: [413, { code: 3, message: 'T', details: [] }],
    unavailable: [503, { code: 14, message: 'Service unavailable', details: [] }],
    bug: [500, { code: 13, message: 'Internal error', details: [] }],
  },
  notify: {
    malformed: [400, { code: 3, message: 'malformed request', details: [] }],
    argument: [400, { code: 3, message: 'T', details: [] }],
    conflict: [400, { code: 3, message: 'T', details: [] }],
    notFound: [404, { code: 5, message: 'T', details: [] }],
    forbidden: [403, { code: 7, message: 'T', details: [] }],
    throttled: [429, { code: 8, message: 'T', details: [] }],
    unauthorized: [401, { code: 16, message: 'T', details: [] }],
    tooLarge: [413, { code: 3, message: 'T', details: [] }],
    unavailable: [503, { code: 14, message: 'Service unavailable', details: [] }],
    bug: [500, { code: 13, message: 'Internal error', details: [] }],
  },
  audience: {
    malformed: [400, { message: 'T' }],
    argument: [400, { message: 'T' }],
    conflict: [400, { message: 'T' }],
    unauthorized: [403, { message: 'T' }],
    forbidden: [403, { message: 'T' }],
    notFound: [404, { message: 'T' }],
    tooLarge: [413, { message: 'T' }],
    throttled: [429, { message: 'T' }],
    unavailable: [500, { message: 'Internal error' }],
    bug: [500, { message: 'Internal error' }],
  },
  admin: {
    malformed: [400, { error: { kind: 'malformed', message: 'T' } }],
    argument: [400, { error: { kind: 'argument', message: 'T' } }],
    unauthorized: [401, { error: { kind: 'unauthorized', message: 'T' } }],
    forbidden: [403, { error: { kind: 'forbidden', message: 'T' } }],
    notFound: [404, { error: { kind: 'notFound', message: 'T' } }],
    conflict: [409, { error: { kind: 'conflict', message: 'T' } }],
    tooLarge: [413, { error: { kind: 'tooLarge', message: 'T' } }],
    throttled: [429, { error: { kind: 'throttled', message: 'T' } }],
    unavailable: [503, { error: { kind: 'unavailable', message: 'Service unavailable' } }],
    bug: [500, { error: { kind: 'bug', message: 'Internal error' } }],
  },
};

const families = Object.keys(tables) as Family[];

describe.each(families)('the envelope of %s', (family) => {
  it.each(Object.entries(tables[family]))('answers the fault %s with its status and body', (kind, [status, body]) => {
    const reply = envelopes[family].fault(new Fault(kind as FaultKind, 'T', { internal: 'secret' }));
    expect(reply.status).toBe(status);
    expect(JSON.parse(reply.body)).toEqual(body);
  });
});

describe('the method-style envelope', () => {
  it('answers an empty list on the 210 of methods that create messages only (R-ER8)', () => {
    const reply = (kind: FaultKind) =>
      JSON.parse(json13Envelope.fault(new Fault(kind, 'T'), api.createMessage).body) as object;
    expect(reply('argument')).toEqual({ status_code: 210, status_message: 'T', response: { Messages: [] } });
    expect(reply('forbidden')).toMatchObject({ response: null });
    expect(reply('malformed')).toMatchObject({ response: null });
    expect(reply('bug')).toMatchObject({ response: null });
  });

  it('explains how to repeat a call with a possible effect, and hides other causes (R-ER10)', () => {
    const status = (effect: Fault['effect']) =>
      json13Envelope.fault(new Fault('unavailable', 'T', { internal: 'secret', effect }), api.createMessage);
    const body = { status_code: 500, response: null };
    expect(JSON.parse(status('possible').body)).toEqual({ ...body, status_message: 'Internal error: T' });
    for (const effect of ['none', undefined] as const) {
      expect(JSON.parse(status(effect).body)).toEqual({ ...body, status_message: 'Internal error' });
    }
  });

  it('leaves out `response` as the specification does (R-ER9)', () => {
    const body = (method: Parameters<typeof json13Envelope.success>[0], output?: unknown): unknown =>
      JSON.parse(json13Envelope.success(method, output).body);
    expect(body(api.applicationOpen)).toEqual({ status_code: 200, status_message: 'OK' });
    expect(body(api.unregisterDevice)).toEqual({ status_code: 200, status_message: 'OK', response: null });
    expect(body(api.addTag, { result: true })).toEqual({
      status_code: 200,
      status_message: 'OK',
      response: { result: true },
    });
  });
});

it("an operator's success without content has no body", () => {
  expect(envelopes.admin.success(api.deleteToken, undefined)).toEqual({ status: 204, body: '' });
  expect(envelopes.admin.success(api.createAccount, { account: 'c' })).toMatchObject({ status: 201 });
});
