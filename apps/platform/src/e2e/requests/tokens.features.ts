import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { ApiClient } from '@tidings/client';
import { api, type Method } from '@tidings/contract';
import type { LoggingWorld } from '@tidings/testing';
import {
  CANARY,
  EXAMPLE,
  FORBID,
  DENIED,
  type Sent,
  type Reply,
  ok,
  refused,
  bare,
  full,
  gateway,
  only,
  type RequestsUnderTest,
} from './testing/requests.ts';

export function tokenFeatures(test: RequestsUnderTest): void {
  const { send, api13, callMethod, asServer, asAdmin, v2, messagesOf, secrets } = test;
  let world: LoggingWorld;
  let application: string;
  let sibling: string;
  beforeAll(() => {
    ({ world, application, sibling } = test);
  });

  describe('tokens (R-T1 to R-T7)', () => {
    const garbage = `${CANARY}-garbage-token`;
    let foreign: { api: string; device: string; application: string };
    let restricted: { id: string; token: string };

    beforeAll(async () => {
      const { account } = await world.call('createAccount', { name: 'Foreign' });
      const [apiToken, deviceToken] = await Promise.all(
        (['api', 'device'] as const).map((scope) => world.call('createToken', { scope, applications: 'all', account })),
      );
      const client = new ApiClient(world.url, { api: apiToken!.token });
      const created = await client.call('createApplication', { title: 'Foreign' });
      client.close();
      foreign = { api: apiToken!.token, device: deviceToken!.token, application: created.application };
      restricted = await world.call('createToken', { scope: 'server', applications: [application] });
      secrets
        .set('foreign API token', foreign.api)
        .set('foreign device token', foreign.device)
        .set('restricted token', restricted.token);
    });

    const served = Object.values<Method>(api);
    const methodStyle = served.filter(({ family, scope }) => family === 'json13' && scope === 'api');
    const deviceMethods = served.filter(({ scope }) => scope === 'device');
    const serverMethods = served.filter(({ scope }) => scope === 'server');
    const byName = (methods: readonly Method[]) => methods.map((method) => [method.name, method] as const);
    const exampleOf = (method: Method, about: string): Record<string, unknown> => {
      const { auth: _auth, ...example } = JSON.parse(
        JSON.stringify(method.examples[0]!.request).replaceAll(new RegExp(EXAMPLE, 'gi'), about),
      ) as Record<string, unknown>;
      return example;
    };

    it.each(byName(methodStyle))('are required by %s: a valid API token', async (_name, method) => {
      const example = exampleOf(method, application);
      expect(only(await callMethod(method, example))).toEqual(bare(400, 'Missing required argument: auth'));
      for (const auth of [
        garbage,
        '',
        17,
        true,
        {},
        [world.secrets.api],
        world.secrets.device,
        world.secrets.admin,
        ' '.repeat(9999),
      ]) {
        expect(only(await callMethod(method, { ...example, auth }))).toEqual(full(403, FORBID));
      }
      expect(only(await callMethod(method, { ...example, auth: garbage }, asServer()))).toEqual(full(403, FORBID));
    });

    it.each(byName(deviceMethods))('are required by %s: a valid device token', async (_name, method) => {
      const example = exampleOf(method, application);
      const invalid = method.unauthorized ? bare(401, 'Missing or invalid token') : full(403, FORBID);
      expect(only(await callMethod(method, example))).toEqual(invalid);
      expect(only(await callMethod(method, { ...example, auth: world.secrets.device }))).toEqual(invalid);
      for (const secret of [garbage, '', world.secrets.api, world.secrets.admin, '\t']) {
        const headers = { authorization: `Token ${secret}` };
        expect(only(await callMethod(method, example, headers))).toEqual(invalid);
      }
    });

    it.each(byName(serverMethods))('are required by %s: a valid API token in the header', async (_name, method) => {
      const example = exampleOf(method, application);
      for (const secret of [undefined, garbage, world.secrets.device, world.secrets.admin]) {
        const headers: Sent['headers'] = secret === undefined ? {} : { authorization: `Api ${secret}` };
        const reply = await callMethod(method, { ...example, auth: world.secrets.api }, headers);
        expect(reply).toMatchObject({ status: 401, json: { code: 16, details: [] } });
      }
    });

    it('are of a separate kind for operators', async () => {
      for (const secret of [garbage, '', world.secrets.api, world.secrets.device]) {
        const headers = { authorization: `Bearer ${secret}` };
        const reply = await send('/admin/v1/tokens', { verb: 'GET', headers });
        expect(reply).toMatchObject({ status: 401, json: { error: { kind: 'unauthorized' } } });
      }
    });

    it('are accepted behind any scheme word, and behind none', async () => {
      for (const scheme of ['Token ', 'api ', 'KEY ', 'Bearer ', '']) {
        const headers = { authorization: `${scheme}${world.secrets.device}` };
        expect(await api13('getTags', { application, hwid: 'phone-1' }, headers)).toMatchObject(ok);
      }
      expect(await api13('listTags', {}, asServer())).toMatchObject(ok);
    });

    it.each(
      byName(
        served.filter((method) => method.scope !== 'none' && method.application(exampleOf(method, 'x')) !== undefined),
      ),
    )(
      'get the same refusal of %s for an application of another account as for an unknown one',
      async (_name, method) => {
        const ask = (about: string, kind: 'ours' | 'theirs'): Promise<Reply> => {
          const tokens = kind === 'ours' ? world.secrets : foreign;
          const example = exampleOf(method, about);
          if (method.scope === 'api') return callMethod(method, { auth: tokens.api, ...example });
          if (method.scope === 'device')
            return callMethod(method, example, { authorization: `Token ${tokens.device}` });
          return callMethod(method, example, { authorization: `Api ${tokens.api}` });
        };
        const denied = {
          apiV2: gateway(403, 7, DENIED),
          notify: gateway(403, 7, DENIED),
          audience: { status: 403, json: { message: DENIED } },
          json13: refused(DENIED, method.messagesOn210 ? { Messages: [] } : null),
          admin: undefined,
        }[method.family];
        expect(only(await ask(foreign.application, 'ours'))).toEqual(denied);
        expect(only(await ask('FFFFF-FFFFF', 'ours'))).toEqual(denied);
        expect(only(await ask('no code at all', 'ours'))).toEqual(denied);
        expect(only(await ask(application, 'theirs'))).toEqual(denied);
      },
    );

    it('are limited to their applications if they are restricted', async () => {
      const auth = restricted.token;
      const headers = { authorization: `Api ${auth}` };
      expect(await api13('getApplication', { auth, application })).toMatchObject(ok);
      expect(only(await api13('getApplication', { auth, application: sibling }))).toEqual(full(403, FORBID));
      const message = { application: sibling, notifications: [{ content: 'x' }] };
      expect(only(await api13('createMessage', { auth, ...message }))).toEqual(full(403, FORBID));
      expect(only(await v2('messages:list', { filters: { application: sibling } }, headers))).toEqual(
        gateway(403, 7, FORBID),
      );
      expect(await messagesOf(sibling)).toBe(0);
    });

    it('may use the applications that they create and that are open to all, if they are restricted', async () => {
      const auth = restricted.token;
      const own = await api13('createApplication', { auth, title: 'Own' });
      const { application: code } = (own.json as { response: { application: string } }).response;
      expect(await api13('getApplication', { auth, application: code })).toMatchObject(ok);
      const open = await world.call('createApplication', { title: 'Open', authorize_all_tokens: true });
      expect(await api13('getApplication', { auth, application: open.application })).toMatchObject(ok);
      expect(only(await api13('getApplication', { auth: foreign.api, application: open.application }))).toEqual(
        refused(DENIED),
      );
    });

    it('do not find the message of an application that is foreign or not granted', async () => {
      const { Messages: messages } = await world.call('createMessage', {
        application: sibling,
        notifications: [{ content: 'x' }],
      });
      const route = 'statistics/messages/getDeliveryFunnel';
      const missing = gateway(404, 5, 'message not found');
      for (const secret of [restricted.token, foreign.api]) {
        expect(only(await v2(route, { message_code: messages[0] }, { authorization: `Api ${secret}` }))).toEqual(
          missing,
        );
      }
      expect(only(await v2(route, { message_code: 'FFFF-FFFFFFFF-FFFFFFFF' }))).toEqual(missing);
      expect(only(await v2(route, { message_code: 'nonsense' }))).toEqual(missing);
      expect((await v2(route, { message_code: messages[0]!.toLowerCase() })).status).toBe(200);
    });

    it('are refused within 5 seconds after their revocation, and their successors are accepted', async () => {
      const [old, next] = await Promise.all(
        [1, 2].map(() => world.call('createToken', { scope: 'api', applications: 'all' })),
      );
      const ask = (auth: string): Promise<Reply> => api13('listTags', { auth });
      expect([await ask(old!.token), await ask(next!.token)]).toMatchObject([ok, ok]);
      await world.call('deleteToken', { id: old!.id });
      const revokedAt = Date.now();
      for (let refused = 0; refused < 5; refused++) {
        const requestedAt = Date.now();
        const reply = await ask(old!.token);
        if (reply.status !== 200) expect(only(reply)).toEqual(full(403, FORBID));
        else {
          expect(requestedAt - revokedAt).toBeLessThan(5_000);
          refused = -1;
          await delay(50);
        }
      }
      expect(await ask(next!.token)).toMatchObject(ok);
      expect((await send(`/admin/v1/tokens/${old!.id}`, { verb: 'DELETE', headers: asAdmin() })).status).toBe(404);
      const { tokens } = await world.call('listTokens');
      expect(tokens.map(({ id }) => id)).toEqual(expect.arrayContaining([next!.id, restricted.id]));
      expect(tokens.map(({ id }) => id)).not.toContain(old!.id);
      secrets.set('revoked token', old!.token).set('new token', next!.token);
    });
  });
}
