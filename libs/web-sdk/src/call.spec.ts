import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { callMethod } from './call.ts';

const access = { url: 'https://push.example', application: 'A1B2C-3D4E5', token: 'secret' };

afterEach(() => {
  jest.restoreAllMocks();
});

const answering = (status: number, body: string) =>
  jest.spyOn(globalThis, 'fetch').mockImplementation(() => Promise.resolve(new Response(body, { status })));

describe('a call', () => {
  it('has the token, the application and the parameters', async () => {
    const sent = answering(200, '{"status_code":200,"status_message":"OK","response":{"result":{}}}');
    expect(await callMethod(access, 'getTags', { hwid: 'h' })).toEqual({ result: {} });
    const [address, { method, headers, body } = {}] = sent.mock.calls[0]!;
    expect([address, method, headers, body]).toEqual([
      'https://push.example/json/1.3/getTags',
      'POST',
      { authorization: 'Token secret', 'content-type': 'application/json' },
      '{"request":{"application":"A1B2C-3D4E5","hwid":"h"}}',
    ]);
  });

  it.each([
    [
      200,
      '{"status_code":210,"status_message":"Device not found"}',
      'refused',
      'Tidings refuses getTags: Device not found.',
    ],
    [403, '{"status_code":403,"status_message":"Forbidden"}', 'refused', 'Tidings refuses getTags: Forbidden.'],
    [404, '<html>', 'refused', 'Tidings refuses getTags: HTTP 404.'],
    [503, '{}', 'unreachable', 'Tidings does not answer getTags: HTTP 503.'],
    [429, '', 'unreachable', 'Tidings does not answer getTags: HTTP 429.'],
  ])('that is answered with HTTP %i %s is %s', async (status, body, code, message) => {
    answering(status, body);
    await expect(callMethod(access, 'getTags', {})).rejects.toMatchObject({ code, message });
  });

  it('that is not answered is unreachable', async () => {
    jest.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('Failed to fetch'));
    await expect(callMethod(access, 'getTags', {})).rejects.toMatchObject({
      code: 'unreachable',
      message: 'Tidings does not answer getTags: Failed to fetch.',
    });
  });
});
