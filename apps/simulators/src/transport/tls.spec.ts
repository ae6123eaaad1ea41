import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'node:https';
import { fcmToken } from '../fcm/fcm-tokens.ts';
import { type Simulators, startSimulators } from '../simulators.ts';
import { apnsHeaders, apnsPayload, client } from '../testing/test-client.ts';
import { selfSigned } from '../self-signed.ts';

describe('a simulated provider with TLS', () => {
  const tls = selfSigned();
  let simulators: Simulators;

  beforeAll(async () => {
    simulators = await startSimulators({ control: false, tls });
  });
  afterAll(() => simulators.close());

  it('speaks HTTP/2 as APNs, becomes silent and answers again', async () => {
    expect(simulators.apnsUrl).toMatch(/^https:/);
    const apns = client(simulators.apnsUrl, tls.cert);
    expect((await apns.send(apnsHeaders(), apnsPayload())).status).toBe(200);
    await simulators.faults.set('apns', { blackhole: true });
    const waiting = apns.send(apnsHeaders(), apnsPayload());
    const pause = new Promise((resolve) => setTimeout(() => resolve('nothing'), 50));
    expect(await Promise.race([waiting, pause])).toBe('nothing');
    await simulators.faults.set('apns', { blackhole: false });
    expect((await waiting).status).toBe(200);
    apns.close();
  });

  it('speaks HTTP/2 and HTTP/1.1 as FCM', async () => {
    const authorization = `Bearer ${simulators.accessTokens.issue('a@b', ['https://www.googleapis.com/auth/cloud-platform'])}`;
    const path = '/v1/projects/demo/messages:send';
    const body = JSON.stringify({ message: { token: fcmToken('accepted', 1) } });
    const fcm = client(simulators.fcmUrl, tls.cert);
    expect((await fcm.send({ ':path': path, authorization }, body)).status).toBe(200);
    fcm.close();
    const { hostname, port } = new URL(simulators.fcmUrl);
    const status = await new Promise((resolve, reject) => {
      const options = { hostname, port, path, method: 'POST', ca: tls.cert, headers: { authorization } };
      request(options, (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end(body);
    });
    expect(status).toBe(200);
  });
});
