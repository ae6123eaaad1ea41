import { beforeAll, describe, expect, it } from '@jest/globals';
import type { LoggingWorld } from '@tidings/testing';
import { ok, full, gateway, only, type RequestsUnderTest } from './testing/requests.ts';

export function pathFeatures(test: RequestsUnderTest): void {
  const { asDevice, send, api13, asAdmin } = test;
  let world: LoggingWorld;
  let application: string;
  beforeAll(() => {
    ({ world, application } = test);
  });

  describe('the API (R-ER4 to R-ER6, R-V1)', () => {
    const notFound = full(404, 'Method not found');

    it.each([
      '/json/1.3/noSuchMethod',
      '/json/1.3/createmessage',
      '/json/1.4/createMessage',
      '/json/1.3/createMessage/x',
    ])('has no method %s', async (path) => {
      for (const verb of ['GET', 'POST', 'DELETE']) expect(only(await send(path, { verb }))).toEqual(notFound);
    });

    it.each(['/favicon.ico', '/index.html', '/api/v2/nothing', '/%', '/%00', '/..%2f..%2fetc/passwd', '/s/', '/s/x/y'])(
      'has no resource at %s',
      async (path) => {
        expect(only(await send(path, { verb: 'GET' }))).toEqual(gateway(404, 5, 'Not Found'));
      },
    );

    it('has no resource at unknown links, audience and administrator paths', async () => {
      expect(only(await send('/s/nothing1', { verb: 'GET' }))).toEqual(gateway(404, 5, 'Not Found'));
      expect(only(await send('/api/v2/audience/nothing'))).toEqual({ status: 404, json: { message: 'Not Found' } });
      expect((await send('/admin/v1/nothing', { headers: asAdmin() })).status).toBe(404);
    });

    it('ignores one trailing slash and a query', async () => {
      const body = JSON.stringify({ request: { auth: world.secrets.api } });
      expect(await send('/json/1.3/listTags/?x=1', { body })).toMatchObject(ok);
      expect(only(await send('/json/1.3/listTags//', { body }))).toEqual(notFound);
    });

    it.each(['GET', 'PUT', 'PATCH', 'DELETE'])('refuses %s on a POST path', async (verb) => {
      const method = await send('/json/1.3/createMessage', { verb });
      expect([only(method), method.headers.allow]).toEqual([full(405, 'Method not allowed'), 'POST']);
      const list = await send('/api/v2/messages:list', { verb });
      expect([only(list), list.headers.allow]).toEqual([gateway(405, 12, 'Method not allowed'), 'POST']);
    });

    it('names every verb of a path that has several, and answers HEAD without a body', async () => {
      const tokens = await send('/admin/v1/tokens', { verb: 'PUT', headers: asAdmin() });
      expect(tokens.status).toBe(405);
      expect(new Set(tokens.headers.allow?.split(', '))).toEqual(new Set(['GET', 'POST']));
      expect(await send('/json/1.3/createMessage', { verb: 'HEAD' })).toMatchObject({ status: 405, text: '' });
    });

    it('answers browsers of any origin', async () => {
      const origin = 'https://shop.example.com';
      const preflightHeaders = {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'X-Own, authorization',
      };
      for (const path of ['/json/1.3/registerDevice', '/api/v2/messages:list', '/nowhere']) {
        const preflight = await send(path, { verb: 'OPTIONS', headers: preflightHeaders });
        expect(preflight).toMatchObject({
          status: 204,
          text: '',
          headers: {
            'access-control-allow-origin': origin,
            'access-control-allow-credentials': 'true',
            'access-control-allow-methods': 'GET, POST, OPTIONS',
            'access-control-max-age': '86400',
            vary: 'Origin',
          },
        });
        const allowed = preflight.headers['access-control-allow-headers']?.split(', ');
        expect(allowed).toEqual(['Authorization', 'Content-Type', 'X-Own']);
      }
      const headers = { 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true' };
      expect(await api13('setTags', {}, { origin })).toMatchObject({ status: 403, headers });
      expect(
        await api13('setTags', { application, hwid: 'phone-1', tags: {} }, { ...asDevice(), origin }),
      ).toMatchObject({
        ...ok,
        headers,
      });
      expect((await api13('setTags', {})).headers).not.toHaveProperty('access-control-allow-origin');
    });
  });
}
