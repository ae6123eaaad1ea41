import { hash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { Parameters, PlatformWorld } from '@tidings/testing';
import { untilEveryReply } from './testing/until-every-reply.ts';

const IOS = 1;
const ANDROID = 3;

export function testDeviceFeatures(world: () => PlatformWorld): void {
  describe('test devices (R-L1, R-L2)', () => {
    it('are listed, oldest first, and updated by the same push token', async () => {
      const own = await world().application({ title: 'Tested' });
      const create = (push_token: string, name: string, more: Parameters = {}) =>
        world().call('createTestDevice', { application: own, push_token, device_type: ANDROID, name, ...more });
      expect(await create('first', 'One', { language: 'de-AT' })).toBeNull();
      await create('second', 'Two', { description: 'small' });
      await create('first', 'Renamed');
      expect(await world().call('listTestDevices', { application: own })).toEqual({
        TestDevices: [
          { name: 'Renamed', type: '3', pushtoken: 'first', description: '', languages: [], confirmed: false },
          { name: 'Two', type: '3', pushtoken: 'second', description: 'small', languages: [], confirmed: false },
        ],
      });
      expect(await world().call('checkDevice', { application: own, hwid: 'first' })).toMatchObject({ exist: false });
    });

    it('are identified by an iOS token in any case (R-RES2)', async () => {
      const own = await world().application({ title: 'Cases' });
      const create = (push_token: string, name: string) =>
        world().call('createTestDevice', { application: own, push_token, device_type: IOS, name });
      await create('AB12', 'One');
      await create('ab12', 'Renamed');
      expect(await world().call('listTestDevices', { application: own })).toEqual({
        TestDevices: [
          { name: 'Renamed', type: '1', pushtoken: 'ab12', description: '', languages: [], confirmed: false },
        ],
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

    it('are confirmed and deleted by operators, by the hash of their push token', async () => {
      const application = await world().application({ title: 'Confirmed' });
      const create = (push_token: string, more: Parameters = {}) =>
        world().call('createTestDevice', { application, push_token, device_type: IOS, name: 'One', ...more });
      await create('AB12');
      await create('CD34', { auth: world().secrets.api });
      const [first, second] = ['ab12', 'cd34'].map((token) => hash('sha256', token));
      const shown = async () =>
        (await world().call('listAllTestDevices', { application })).test_devices.map(({ token_hash, confirmed }) => [
          token_hash,
          confirmed,
        ]);
      expect(await shown()).toEqual([
        [first, false],
        [second, true],
      ]);
      const { applications } = await world().call('listOpenAccess');
      expect(applications).toContainEqual({
        application,
        unconfirmed_test_devices: 1,
        inbox_token_required: false,
        test_device_token_required: false,
      });
      const confirmation = { application, token_hash: first, confirmed: true };
      expect(await world().call('confirmTestDevice', confirmation)).toEqual({ confirmed: true });
      await world().call('deleteTestDevice', { application, token_hash: second });
      expect(await shown()).toEqual([[first, true]]);
      const missing = { status: 404, body: { error: { kind: 'notFound' } } };
      expect(await world().reply('deleteTestDevice', { application, token_hash: second })).toMatchObject(missing);
      expect(await world().reply('confirmTestDevice', { ...confirmation, token_hash: second })).toMatchObject(missing);
    });

    it('require a token if the operator enables it', async () => {
      const application = await world().application({ title: 'Demanding' });
      const create = (more: Parameters = {}) =>
        world().reply('createTestDevice', { application, push_token: 't', device_type: ANDROID, name: 'One', ...more });
      const set = (token_required: boolean) =>
        world().call('setTestDeviceAccess', { code: application, token_required });
      expect(await set(true)).toEqual({ token_required: true });
      await untilEveryReply(world(), () => create(), 403);
      await world().advance(60);
      expect(await create({ auth: world().secrets.api })).toMatchObject({ body: { status_code: 200 } });
      expect(await set(false)).toEqual({ token_required: false });
      await untilEveryReply(world(), () => create(), 200);
    });
  });
}
