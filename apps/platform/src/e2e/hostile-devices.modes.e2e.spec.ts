import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ReplyOf } from '@tidings/client';
import { databaseOf, databasePrefixOf } from '@tidings/mongo';
import * as simulators from '@tidings/simulators';
import {
  brokenInvariants,
  funnelFigures,
  listedMessage,
  type Parameters,
  platform,
  pushesOf,
  type StoredWorld,
  untilDone,
} from '@tidings/testing';
import { MongoClient } from 'mongodb';

const { apnsToken, fcmToken } = simulators;

const IOS = 1;
const ANDROID = 3;
const TOKEN_BYTES = 4096;
/** Characters of a token in earlier deployments. */
const ONCE_TAKEN = 65_536;

type Kind = 'ordinary' | 'strange language' | 'longest token' | 'stored token' | 'large value' | 'large values';

interface Hostile {
  readonly kind: Kind;
  readonly hwid: string;
  readonly platform: number;
  readonly token: string;
  readonly language: string;
}

const counts: Readonly<Record<Kind, number>> = {
  // More than a batch can hold, and the first devices of their chunk.
  'strange language': 150,
  ordinary: 100,
  'longest token': 30,
  // One slice per platform: three times the size of a record.
  'stored token': 200,
  'large value': 2,
  'large values': 2,
};

const letters = (n: number): string => String.fromCharCode(97 + (n % 26), 97 + (Math.floor(n / 26) % 26));
const tokenOf = (code: number, kind: Kind, n: number): string => {
  const token = code === IOS ? apnsToken('accepted', n) : fcmToken('accepted', n);
  return kind === 'longest token' ? token.padEnd(TOKEN_BYTES, 'a') : token;
};

const devices: readonly Hostile[] = [IOS, ANDROID].flatMap((code) =>
  (Object.keys(counts) as Kind[]).flatMap((kind) =>
    Array.from({ length: counts[kind] }, (_, i): Hostile => {
      const strange = `q${letters(i + (code === IOS ? 0 : 150))}`;
      return {
        kind,
        platform: code,
        hwid: `${kind} ${code} ${i}`,
        token: tokenOf(code, kind, Object.keys(counts).indexOf(kind) * 1000 + i),
        language: kind === 'strange language' ? strange : i % 2 === 0 ? 'de' : 'en',
      };
    }),
  ),
);
const of = (...kinds: Kind[]): readonly Hostile[] => devices.filter(({ kind }) => kinds.includes(kind));
const FULL_LIST = Array.from({ length: 1000 }, (_, i) => `${i}-`.padEnd(255, 'ü'));

let world: StoredWorld;
let mongo: MongoClient;
let application: string;

beforeAll(async () => {
  world = await platform({ simulators: { keepPayloads: true } });
  mongo = await MongoClient.connect(world.mongoUrl);
});
beforeAll(async () => {
  for (const name of ['One', 'Two']) {
    await world.call('addTag', { tag: { name, type: 3, application_specific: true } });
  }
  application = await world.application();
  await world.registerDevices(application, devices.length, (i) => {
    const { hwid, platform: code, token, language } = devices[i]!;
    return { hwid, device_type: code, push_token: token, language };
  });
});
beforeAll(async () => {
  const full = (kind: Kind, tags: Parameters) => of(kind).map(({ hwid }) => ({ hwid, tags }));
  await world.call('bulkSetTags', {
    application,
    devices: [...full('large value', { One: FULL_LIST }), ...full('large values', { One: FULL_LIST, Two: FULL_LIST })],
  });
  await world.settle();
  await ageTokens();
});
afterAll(async () => {
  await mongo?.close();
  await world?.stop();
});

/** Earlier deployments accepted such tokens. */
async function ageTokens(): Promise<void> {
  const stored = databaseOf(mongo, 'registry', databasePrefixOf(world.mongoUrl)).collection('devices');
  const { modifiedCount } = await stored.bulkWrite(
    of('stored token').map(({ hwid, token }) => ({
      updateOne: { filter: { app: application, hwid }, update: { $set: { token: token.padEnd(ONCE_TAKEN, 'a') } } },
    })),
  );
  expect(modifiedCount).toBe(of('stored token').length);
}

const content = { en: 'Hello {{One||you}} {{Two}}', de: 'Hallo {{One||du}} {{Two}}', default: 'Other' };
const textFor = ({ kind, language }: Hostile): string =>
  kind === 'strange language' ? 'Other' : language === 'de' ? 'Hallo du ' : 'Hello you ';

const SENT = 'sent';

function endOf({ kind, platform: code }: Hostile): string {
  switch (kind) {
    case 'ordinary':
    case 'strange language':
      return SENT;
    case 'longest token':
      // APNs checks the form of tokens: none has this length.
      return code === IOS ? 'INVALID_TOKEN 400 BadDeviceToken' : SENT;
    case 'stored token':
      return 'INVALID_TOKEN 0 token_too_long';
    case 'large value':
      return 'INVALID_CONTENT 0 payload_too_large';
    case 'large values':
      return 'INVALID_CONTENT 0 values_too_long';
  }
}

const countedBy = (keys: readonly string[]): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(keys, (key) => key)].map(([key, same]) => [key, same.length]));

type Funnel = ReplyOf<'getDeliveryFunnel'>;

const errorsIn = ({ channels }: Funnel, at: number): Record<string, number> =>
  Object.fromEntries(
    channels
      .flatMap(({ funnel }) => funnel.flatMap(({ errors }) => errors))
      .flatMap(({ category, codes }) => codes.map((of) => ({ ...of, category })))
      .filter(({ platform: own }) => own === at)
      .map(({ category, code, name, count }) => [`${category} ${code} ${name}`, Number(count)]),
  );

async function send(notification: Parameters, addressed: readonly Hostile[]): Promise<void> {
  const { Messages: codes } = await world.call('createMessage', {
    application,
    notifications: [{ content, ...notification }],
  });
  const code = codes[0]!;
  // No retry is pending.
  expect(await untilDone(world, application, code)).toBe(0);
  const funnel = await world.call('getDeliveryFunnel', { message_code: code });
  const metrics = (await listedMessage(world, application, code))?.push_info?.metrics ?? [];
  expect(brokenInvariants(funnel, metrics)).toEqual([]);
  for (const [at, provider] of [
    [IOS, 'apns'],
    [ANDROID, 'fcm'],
  ] as const) {
    const here = addressed.filter(({ platform: own }) => own === at);
    const good = here.filter((device) => endOf(device) === SENT);
    const { audience, eligible, sent } = funnelFigures(funnel, at);
    expect({ audience, eligible, sent }).toEqual({ audience: here.length, eligible: here.length, sent: good.length });
    const failed = here.map(endOf).filter((end) => end !== SENT);
    expect(errorsIn(funnel, at)).toEqual(countedBy(failed));
    const accepted = pushesOf(world.simulators, provider, code).filter(({ status }) => status === 200);
    expect(accepted.map(({ token }) => token).toSorted()).toEqual(good.map(({ token }) => token).toSorted());
    const payloads = new Map(accepted.map(({ token, payload }) => [token, payload]));
    for (const device of good) expect(payloads.get(device.token)).toContain(textFor(device));
  }
}

describe('devices that are too large for a broadcast', () => {
  it('fail alone, whatever their store contains, and every other device is sent to', () => send({}, devices));

  it('fail alone among named devices', async () => {
    const named = [
      ...of('stored token').slice(0, 150),
      ...of('large value', 'large values'),
      ...of('ordinary').slice(0, 40),
    ];
    await send({ devices: named.map(({ hwid }) => hwid) }, named);
  });

  it('cannot be registered any more', async () => {
    const register = { application, hwid: 'late', device_type: ANDROID, push_token: 'x'.repeat(TOKEN_BYTES + 1) };
    expect(await world.reply('registerDevice', register)).toMatchObject({
      status: 200,
      body: { status_code: 210, status_message: 'push_token: must have up to 4096 bytes', response: null },
    });
    const rows = [
      { hwid: 'late', platform: ANDROID, push_token: 'x'.repeat(ONCE_TAKEN), tags: {} },
      { hwid: 'in time', platform: ANDROID, push_token: 'x'.repeat(TOKEN_BYTES), tags: {} },
    ];
    const { request_id: id } = await world.call('bulkRegisterDevice', { application, devices: rows });
    await world.settle();
    expect(await world.call('getBulkRegisterDevice', { request_id: id, detailed: true })).toMatchObject({
      status: 'Completed',
      devices_success: 1,
      devices: [
        { hwid: 'late', status: 'failed' },
        { hwid: 'in time', status: 'done' },
      ],
    });
  });
});

describe('lone surrogates (R-RES2)', () => {
  const device = { device_type: ANDROID, push_token: 'accepted-lone' };

  it('do not make two devices one, and are refused by each family in its own form', async () => {
    const application = await world.application({ title: 'Surrogates' });
    for (const hwid of ['lone\ud83d', 'lone\ud83e']) {
      expect(await world.reply('registerDevice', { ...device, application, hwid })).toMatchObject({
        status: 200,
        body: { status_code: 210, status_message: 'Hwid is not valid', response: null },
      });
    }
    const text = 'must not contain lone surrogates';
    expect(
      await world.reply('createMessage', { application, notifications: [{ content: 'a', users: ['b\udc00'] }] }),
    ).toMatchObject({ status: 200, body: { status_message: `notifications[0].users[0]: ${text}` } });
    expect(await world.reply('bulkUnregisterDevice', { application, devices: [{ hwid: 'lone\ud83d' }] })).toMatchObject(
      { status: 400, body: { message: `devices[0].hwid: ${text}` } },
    );
    expect(
      await world.reply('notify', { segment: { application, code: 'a\ud83d', platforms: ['ANDROID'] } }),
    ).toMatchObject({ status: 400, body: { code: 3, message: `segment.code: ${text}` } });
    expect(await world.reply('setCategories', { categories: ['c\ud83d'] })).toMatchObject({
      status: 400,
      body: { error: { message: `categories[0]: ${text}` } },
    });
    expect(await world.call('checkDevice', { application, hwid: 'lone\ufffd' })).toMatchObject({ exist: false });
  });

  it('become U+FFFD in texts, and fail an entry of a bulk registration alone (R-G5)', async () => {
    const application = await world.application({ title: 'Replaced' });
    const rows = ['lone\ud83d', 'lone\ufffd'].map((hwid) => ({ hwid, platform: ANDROID, push_token: '', tags: {} }));
    const { request_id: id } = await world.call('bulkRegisterDevice', { application, devices: rows });
    await world.settle();
    expect(await world.call('getBulkRegisterDevice', { request_id: id, detailed: true })).toMatchObject({
      devices: [{ status: 'failed' }, { status: 'done' }],
    });
    await world.call('registerDevice', { ...device, application, hwid: 'whole', city: 'Bonn\ud83d' });
    const { result } = await world.call('getTags', { application, hwid: 'whole' });
    expect(result).toMatchObject({ City: 'Bonn\ufffd' });
  });
});
