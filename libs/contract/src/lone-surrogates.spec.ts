import { inspect, isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { Fault } from '@tidings/kernel';
import { api } from './api.ts';
import { dotted } from './issue.ts';
import { isWellFormed, jsonText, wellFormed, withLoneSurrogates } from './lone-surrogates.ts';
import type { Method, Request } from './method.ts';
import { changed, fieldsIn, type Path } from './testing/request-fields.ts';
import { isObject } from './values.ts';

const LONE = 'lone\ud83d';
const REPLACED = 'lone\ufffd';

const identities: readonly string[] = [
  ...['account', 'activity_id', 'activity_push_to_start_token', 'activity_push_token', 'after', 'application'],
  ...['applicationCode', 'applicationGroupCode', 'applications', 'applications_group', 'attributes-type', 'auth_token'],
  ...['campaign', 'campaignCode', 'campaign_name', 'campaigns', 'categories', 'cluster', 'code', 'conditions'],
  ...['devices', 'devices_filter', 'email_category', 'email_template', 'endpoint', 'event', 'expression'],
  ...['fcm_push_set', 'fcm_token', 'filter', 'filterCode', 'filterExpression', 'filter_code', 'filter_expression'],
  ...['geoZoneCluster', 'group', 'hash', 'hwid', 'id', 'ids', 'inbox_code', 'list', 'live_activity_id', 'message'],
  ...['message_code', 'message_codes', 'messages_codes', 'name', 'newUserId', 'number', 'oldUserId', 'preset'],
  ...['presetCode', 'preset_code', 'public_key', 'push_token', 'request_id', 'sms_phone_number', 'tags', 'task_id'],
  ...['to', 'topic', 'transactionId', 'transaction_id', 'userId', 'user_id', 'users', 'whatsapp_phone_number'],
];

/** Their refusal would cost more than themselves (R-G5). */
const alsoTexts: readonly string[] = [
  ...['code', 'conditions', 'devices', 'filter_expression', 'hwid', 'message', 'name', 'push_token', 'tags'],
];

function textsIn(value: unknown, path: Path = []): Path[] {
  if (typeof value === 'string') return [path];
  if (Array.isArray(value)) return value.flatMap((each, i) => textsIn(each, [...path, i]));
  return isObject(value) ? Object.entries(value).flatMap(([key, each]) => textsIn(each, [...path, key])) : [];
}

const valueAt = (request: Request, path: Path): unknown =>
  path.reduce<unknown>((value, key) => (value as Record<string | number, unknown> | undefined)?.[key], request);

function plantedIn(own: unknown, text: string): unknown[] {
  const added = textsIn(own).map((path) =>
    path.length === 0
      ? `${own as string}${text}`
      : changed(own as object, path, `${String(valueAt(own as Request, path))}${text}`),
  );
  return [...added, text, [text], [[text, 'EQ', 1]], [['Level', 'EQ', text]], { [text]: text }, { en: text }];
}

type Outcome = { readonly input: unknown } | { readonly refused: string };

function outcomeOf(method: Method, request: Request): Outcome {
  try {
    return { input: method.parse(request) };
  } catch (error) {
    return { refused: Fault.from(error).message };
  }
}

const isRefusal = (outcome: Outcome): boolean =>
  'refused' in outcome && /^Hwid is not valid$|: must not contain lone surrogates$/.test(outcome.refused);

/** An invalid part must not refuse the rest. */
const isLenient = ({ name }: Method, path: Path): boolean =>
  (/^(multiRegister|register)/.test(name) && path.at(-1) === 'tags') || /bulkRegisterDevice$/.test(name);

const nameOf = (path: Path): string => String(path.findLast((each) => typeof each === 'string'));

const refusedNames = new Set<string>();
const acceptedNames = new Set<string>();

describe.each(Object.values<Method>(api).map((method) => [method.name, method] as const))('%s', (_, method) => {
  it('refuses lone surrogates in a field, or handles them as U+FFFD', () => {
    const seen = new Set<string>();
    for (const { request } of method.examples) {
      for (const path of fieldsIn(method.input, request)) {
        const own = valueAt(request, path);
        const field = `${dotted(path)} ${own === undefined || own === null}`;
        if (seen.has(field)) continue;
        seen.add(field);
        const replaced = plantedIn(own, REPLACED);
        for (const [i, value] of plantedIn(own, LONE).entries()) {
          const outcome = outcomeOf(method, withLoneSurrogates(changed(request, path, value)));
          if (isLenient(method, path)) {
            expect(isWellFormed(outcome)).toBe(true);
            continue;
          }
          if (isRefusal(outcome)) {
            refusedNames.add(nameOf(path));
            continue;
          }
          const expected = outcomeOf(method, changed(request, path, replaced[i]));
          if (!isDeepStrictEqual(outcome, expected) || !isWellFormed(outcome)) {
            throw new Error(`${dotted(path)}: ${JSON.stringify(value)}`);
          }
          const isTaken = 'input' in outcome && isDeepStrictEqual(value, LONE);
          if (isTaken && inspect(outcome.input, { depth: Infinity }).includes(REPLACED))
            acceptedNames.add(nameOf(path));
        }
      }
    }
  });
});

describe('identities', () => {
  it('are the fields that refuse lone surrogates, of any method', () => {
    const names = new Set(identities);
    expect([...names].filter((name) => !refusedNames.has(name))).toEqual([]);
    expect([...acceptedNames].filter((name) => names.has(name) && !alsoTexts.includes(name))).toEqual([]);
  });

  const application = 'A1B2C-3D4E5';
  const refusal = (method: Method, request: Request) => outcomeOf(method, withLoneSurrogates(request));

  it.each<[Method, Request, string]>([
    [api.registerDevice, { hwid: LONE, device_type: 3 }, 'Hwid is not valid'],
    [api.registerDevice, { hwid: 'a', userId: LONE, device_type: 3 }, 'userId: must not contain lone surrogates'],
    [api.setTags, { hwid: 'a', tags: { [LONE]: 1 } }, `tags.${REPLACED}: must not contain lone surrogates`],
    [
      api.bulkSetTags,
      { devices: [{ hwid: 'a', tags: { [LONE]: 1 } }] },
      `devices[0].tags.${REPLACED}: must not contain lone surrogates`,
    ],
    [api.bulkUnregisterDevice, { devices: [{ hwid: LONE }] }, 'devices[0].hwid: must not contain lone surrogates'],
  ])('are refused with the path: %#', (method, request, refused) =>
    expect(refusal(method, { application, ...request })).toEqual({ refused }),
  );

  it('fail only the entry of bulkRegisterDevice (R-G5)', () => {
    const entry = { hwid: 'a', push_token: 't', platform: 3 };
    const devices = [{ ...entry, hwid: LONE }, { ...entry, push_token: LONE }, entry];
    const parsed = api.bulkRegisterDevice.parse(withLoneSurrogates({ application, devices }));
    expect(parsed.devices).toMatchObject([
      { platform: 0, identifier: { value: REPLACED } },
      { platform: 0, newPushToken: '' },
      { platform: 3, identifier: { value: 'a' } },
    ]);
  });

  it('are ignored in names of tags of a registration (R-C3)', () => {
    const request = { application, hwid: 'a', device_type: 3, tags: { [LONE]: 1, Level: 2 } };
    expect(JSON.stringify(api.registerDevice.parse(withLoneSurrogates(request)))).not.toContain('lone');
  });
});

it('numbers keep their digits beside replaced texts', () => {
  const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => unknown };
  expect(JSON.stringify(wellFormed({ [LONE]: [rawJSON('1.50'), LONE] }))).toBe(`{"${REPLACED}":[1.50,"${REPLACED}"]}`);
  expect(jsonText({ a: LONE, b: '\\ud83d' })).toBe(`{"a":"${REPLACED}","b":"\\\\ud83d"}`);
});
