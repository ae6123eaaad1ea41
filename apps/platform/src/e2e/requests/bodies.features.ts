import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  BODY_LIMIT,
  ok,
  refused,
  bare,
  full,
  gateway,
  malformed,
  only,
  type RequestsUnderTest,
} from './testing/requests.ts';

export function bodyFeatures(test: RequestsUnderTest): void {
  const { send, api13, asDevice, asServer, asAdmin } = test;
  let application: string;
  beforeAll(() => {
    ({ application } = test);
  });

  describe('bodies (R-ER1, R-LM1)', () => {
    const valid = () => ({ request: { application, hwid: 'phone-1', tags: { Level: 6 } } });

    it.each([
      'application/json',
      'text/plain;charset=UTF-8',
      'application/x-www-form-urlencoded',
      'text/html',
      undefined,
    ])('are JSON whatever the Content-Type is: %s', async (type) => {
      const headers = { ...asDevice(), ...(type === undefined ? {} : { 'content-type': type }) };
      expect(await send('/json/1.3/setTags', { headers, body: JSON.stringify(valid()) })).toMatchObject(ok);
    });

    const deep = (levels: number): string => `{"request":${'{"a":'.repeat(levels - 2)}{}${'}'.repeat(levels - 2)}}`;

    it.each<[string, string | Uint8Array]>([
      ['nothing', ''],
      ['half of a request', '{"request":{"hwid":'],
      ['a list', '[{"request":{}}]'],
      ['null', 'null'],
      ['a number', '17'],
      ['no request', '{"hwid":"phone-1"}'],
      ['a request that is null', '{"request":null}'],
      ['a request that is a list', '{"request":[]}'],
      ['a request that is a text', '{"request":"{}"}'],
      ['a form', 'request=%7B%7D'],
      ['Latin-1', Buffer.from('{"request":{"hwid":"M\xfcnchen"}}', 'latin1')],
      ['half a character', Buffer.from('{"request":{"hwid":"\u20ac"}}').subarray(0, 22)],
      ['65 levels', deep(65)],
      ['thousands of levels', `{"request":${'['.repeat(100_000)}`],
    ])('are malformed with %s', async (_what, body) => {
      expect(only(await send('/json/1.3/setTags', { headers: asDevice(), body }))).toEqual(malformed);
    });

    it('may have 64 levels', async () => {
      expect(only(await send('/json/1.3/setTags', { headers: asDevice(), body: deep(64) }))).toEqual(
        bare(400, 'Missing required argument: application'),
      );
    });

    it('use the last of duplicate keys, and ignore unknown ones', async () => {
      const body = `{"more":[],"request":{"application":"x","application":"${application}","hwid":"phone-1","tags":{},"x":{}}}`;
      expect(await send('/json/1.3/setTags', { headers: asDevice(), body })).toMatchObject(ok);
    });

    it('take nulls for absent and coerce loose scalars', async () => {
      const hwid = 'loose';
      const register = {
        application,
        hwid,
        device_type: '3',
        language: null,
        timezone: null,
        push_token: null,
        userId: 17,
      };
      expect(await api13('registerDevice', register, asDevice())).toMatchObject(ok);
      expect(
        await api13('registerDevice', { ...register, timezone: '3600', language: 'DE-at' }, asDevice()),
      ).toMatchObject(ok);
      expect(await api13('getTags', { application, hwid: null, userId: '17' }, asDevice())).toMatchObject({
        json: { response: { result: { Language: 'de', Timezone: 3600 } } },
      });
      expect(only(await api13('registerDevice', { ...register, device_type: true }, asDevice()))).toEqual(
        refused('device_type: must be an integer'),
      );
      expect(only(await api13('registerDevice', { ...register, device_type: 3.5 }, asDevice()))).toEqual(
        refused('device_type: must be an integer'),
      );
      expect(only(await api13('registerDevice', { ...register, hwid: true }, asDevice()))).toEqual(
        refused('hwid: must be a string'),
      );
    });

    it('may have 10 MiB and not a byte more', async () => {
      const text = JSON.stringify(valid());
      const exact = text + ' '.repeat(BODY_LIMIT - text.length);
      expect(await send('/json/1.3/setTags', { headers: asDevice(), body: exact })).toMatchObject(ok);
      const more = `${exact} `;
      const tooLarge = 'Request is too large';
      expect(only(await send('/json/1.3/setTags', { headers: asDevice(), body: more }))).toEqual(full(413, tooLarge));
      expect(only(await send('/api/v2/messages:list', { headers: asServer(), body: more }))).toEqual(
        gateway(413, 3, tooLarge),
      );
      expect(only(await send('/admin/v1/tokens', { headers: asAdmin(), body: more }))).toEqual({
        status: 413,
        json: { error: { kind: 'tooLarge', message: tooLarge } },
      });
    });

    it('are refused in the words of the other families', async () => {
      for (const body of ['', '[]', '{', 'null']) {
        expect(only(await send('/api/v2/messages:list', { headers: asServer(), body }))).toEqual(
          gateway(400, 3, 'Malformed request string'),
        );
      }
      expect(only(await send('/admin/v1/tokens', { headers: asAdmin(), body: '[]' }))).toEqual({
        status: 400,
        json: { error: { kind: 'malformed', message: 'Malformed request string' } },
      });
    });
  });
}
