import { describe, expect, it } from '@jest/globals';
import type { Parameters, PlatformWorld } from '@tidings/testing';

const IOS = 1;
const ANDROID = 3;

/** Suites about test devices, in the world of the spec that calls this. */
export function testDeviceFeatures(world: () => PlatformWorld): void {
  describe('test devices (R-L1, R-L2)', () => {
    it('are listed, oldest first; the same push token changes one', async () => {
      const own = await world().application({ title: 'Tested' });
      const create = (push_token: string, name: string, more: Parameters = {}) =>
        world().call('createTestDevice', { application: own, push_token, device_type: ANDROID, name, ...more });
      expect(await create('first', 'One', { language: 'de-AT' })).toBeNull();
      await create('second', 'Two', { description: 'small' });
      await create('first', 'Renamed');
      expect(await world().call('listTestDevices', { application: own })).toEqual({
        TestDevices: [
          { name: 'Renamed', type: '3', pushtoken: 'first', description: '', languages: [] },
          { name: 'Two', type: '3', pushtoken: 'second', description: 'small', languages: [] },
        ],
      });
      expect(await world().call('checkDevice', { application: own, hwid: 'first' })).toMatchObject({ exist: false });
    });

    it('are the same by an iOS token in another case (R-RES2)', async () => {
      const own = await world().application({ title: 'Cases' });
      const create = (push_token: string, name: string) =>
        world().call('createTestDevice', { application: own, push_token, device_type: IOS, name });
      await create('AB12', 'One');
      await create('ab12', 'Renamed');
      expect(await world().call('listTestDevices', { application: own })).toEqual({
        TestDevices: [{ name: 'Renamed', type: '1', pushtoken: 'ab12', description: '', languages: [] }],
      });
    });

    it('are created without a token, but not with a wrong one', async () => {
      const application = await world().application();
      const device = { application, push_token: 't', device_type: ANDROID, name: 'One' };
      const create = (request: object, authorization?: string) =>
        world().client.http.send('/json/1.3/createTestDevice', {
          method: 'POST',
          headers: authorization === undefined ? {} : { authorization },
          body: { request },
        });
      const forbidden = { status: 403, body: { status_message: 'Token restrictions forbid this operation' } };
      expect(await create(device)).toMatchObject({ status: 200, body: { status_code: 200 } });
      expect(await create({ ...device, auth: world().secrets.api })).toMatchObject({ body: { status_code: 200 } });
      expect(await create({ ...device, auth: 'nonsense' })).toMatchObject(forbidden);
      expect(await create(device, 'Token nonsense')).toMatchObject(forbidden);
      expect(await create({ ...device, application: 'FFFFF-FFFFF' })).toMatchObject({
        body: { status_code: 210, status_message: 'Access denied or application not found' },
      });
    });
  });
}
