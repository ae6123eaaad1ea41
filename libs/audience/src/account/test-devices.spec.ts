import { beforeEach, describe, expect, it } from '@jest/globals';
import type { TestDevicesState } from './test-devices.ts';
import { app, Accounts, createApplication } from './testing/accounts.ts';

describe('an account', () => {
  let accounts: Accounts;
  beforeEach(() => {
    accounts = new Accounts();
  });

  it('keeps test devices by push token, at most 100 (R-L1, R-LM7)', () => {
    accounts.do('a', createApplication());
    const set = (pushToken: string, name = 'x') =>
      accounts.do('a', {
        type: 'setTestDevice',
        application: app,
        device: { pushToken, platform: 3, name, description: '' },
      });
    for (let i = 0; i < 100; i++) set(`t${i}`);
    expect(() => set('one more')).toThrow('Test device limit reached (100)');
    expect(set('t7', 'renamed')).toHaveLength(1);
    expect(set('t7', 'renamed')).toEqual([]);
    const { devices } = accounts.states.get(`test devices ${app}`) as TestDevicesState;
    expect(devices).toHaveLength(100);
    expect(devices[7]).toMatchObject({ pushToken: 't7', name: 'renamed' });
    expect(() => set('t7', 'x'.repeat(3 << 20))).toThrow('test devices: at most 3 MiB');
  });
});
