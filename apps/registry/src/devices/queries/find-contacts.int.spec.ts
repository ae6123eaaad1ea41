import { describe, expect, it } from '@jest/globals';
import { Platform } from '@tidings/kernel';
import { keysFrom } from '@tidings/runtime';
import { describeWithMongo } from '@tidings/testing';
import { argument, noFault, RegistryUnderTest } from '../../testing/registry-under-test.ts';
import { tokenHash } from '../../identities/identity-keys.ts';

describeWithMongo('an e-mail address', (mongo) => {
  const test = new RegistryUnderTest(mongo);
  const { settle, command, apply, register, stored } = test;

  const mail = (hwid: string, pushToken: string) => register(hwid, { platform: Platform.Email, pushToken });
  const seqOf = async (hwid: string): Promise<number> => (await stored(hwid))['seq'] as number;

  const recipients = (...names: string[]) =>
    test.named({ $case: 'contacts', value: { platform: Platform.Email, names } });
  const contactsOf = async (email: string) =>
    (await test.registry.devices.findContacts({ account: 'default', application: test.app, email })).hwids;

  it('denotes the contact that holds it, not the one that has it as its hwid (R-E8)', async () => {
    await mail('a@example.com', 'b@example.com');
    expect(await recipients('a@example.com')).toEqual({ seqs: [], unknown: ['a@example.com'] });
    expect(await recipients('b@example.com')).toEqual({ seqs: [await seqOf('a@example.com')], unknown: [] });
    expect([await contactsOf('a@example.com'), await contactsOf('b@example.com')]).toEqual([[], ['a@example.com']]);
  });

  it('denotes the contact that has taken it from the one with this hwid', async () => {
    await mail('moved@example.com', 'moved@example.com');
    test.clock.advance(1);
    await mail('crm-1', 'moved@example.com');
    await settle();
    expect(await recipients('moved@example.com')).toEqual({ seqs: [await seqOf('crm-1')], unknown: [] });
    expect(await contactsOf('moved@example.com')).toEqual(['crm-1', 'moved@example.com']);
    expect(await recipients('crm-1', 'crm-2')).toEqual({ seqs: [await seqOf('crm-1')], unknown: ['crm-2'] });
  });

  it('denotes its unregistered contact, and registers no new one', async () => {
    const hwid = 'silent@example.com';
    await mail(hwid, hwid);
    await apply(command(hwid, { $case: 'unregister', value: {} }));
    expect(await recipients(hwid)).toEqual({ seqs: [await seqOf(hwid)], unknown: [] });
    expect(await contactsOf(hwid)).toEqual([hwid]);
  });

  it('denotes no device of another platform', async () => {
    await register('phone', { pushToken: 'token@example.com' });
    expect(await recipients('token@example.com')).toEqual({ seqs: [], unknown: ['token@example.com'] });
    expect(await contactsOf('token@example.com')).toEqual([]);
  });

  describe('an international e-mail address (R-E2)', () => {
    const unicode = 'bücher.example';
    const ascii = 'xn--bcher-kva.example';

    it('is the same address in Unicode and in ASCII', async () => {
      await mail(`anna@${unicode}`, `Anna@${unicode}`);
      test.clock.advance(1);
      await mail('crm-3', `anna@${ascii}`);
      await settle();
      expect(await stored(`anna@${unicode}`)).not.toHaveProperty('token');
      for (const address of [`anna@${unicode}`, `anna@${ascii}`]) {
        expect(await recipients(address)).toEqual({ seqs: [await seqOf('crm-3')], unknown: [] });
        expect(await contactsOf(address)).toEqual(['crm-3', `anna@${unicode}`]);
      }
    });

    it('is blacklisted and removed from the blacklist in both forms', async () => {
      const { addresses } = test.registry;
      const request = (domain: string) => ({ account: 'default', email: `eva@${domain}` });
      await addresses.blacklistAddress(request(unicode));
      expect((await addresses.findAddress(request(ascii))).blacklistedSince).toEqual(test.clock.date);
      for (const domain of [unicode, ascii]) {
        expect(await mail('crm-4', `eva@${domain}`)).toEqual(argument('Email address is blacklisted'));
      }
      await addresses.clearAddress(request(ascii));
      expect((await addresses.findAddress(request(unicode))).blacklistedSince).toBeUndefined();
      await expect(addresses.clearAddress(request(unicode))).rejects.toThrow('Address is not blacklisted');
      expect(await mail('crm-4', `eva@${unicode}`)).toEqual(noFault);
    });

    it('is found if version 0.1 stored it in Unicode', async () => {
      await mail('crm-5', `old@${ascii}`);
      const token = `old@${unicode}`;
      const th = tokenHash(keysFrom(new Uint8Array(32).fill(3)).identity['push-token'], token);
      await mongo.db.collection('devices').updateOne({ app: test.app, hwid: 'crm-5' }, { $set: { token, th } });
      for (const address of [token, `old@${ascii}`]) {
        expect(await recipients(address)).toEqual({ seqs: [await seqOf('crm-5')], unknown: [] });
        expect(await contactsOf(address)).toEqual(['crm-5']);
      }
    });
  });

  test.expectNoWarnings();
});
