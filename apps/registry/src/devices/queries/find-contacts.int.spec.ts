import { expect, it } from '@jest/globals';
import { Platform } from '@tidings/kernel';
import { PrepareAudience } from '@tidings/rpc';
import { describeWithMongo } from '@tidings/testing';
import { RegistryUnderTest } from '../../testing/registry-under-test.ts';

describeWithMongo('an e-mail address', (mongo) => {
  const test = new RegistryUnderTest(mongo);
  const { settle, command, apply, register, stored } = test;

  const mail = (hwid: string, pushToken: string) => register(hwid, { platform: Platform.Email, pushToken });
  const seqOf = async (hwid: string): Promise<number> => (await stored(hwid))['seq'] as number;

  /** The recipients of a mail to addresses (R-E8). */
  const recipients = async (...names: string[]) => {
    const target = { $case: 'contacts' as const, value: { platform: Platform.Email, names } };
    const audiences = [PrepareAudience.fromPartial({ target })];
    const request = { account: 'default', applications: [test.app], group: '', audiences };
    const [prepared] = (await test.registry.devices.prepare(request)).audiences;
    const found = prepared?.audience?.target;
    return { seqs: found?.$case === 'named' ? found.value.seqs : undefined, unknown: prepared?.unknown };
  };
  const contactsOf = async (email: string) =>
    (await test.registry.devices.findContacts({ account: 'default', application: test.app, email })).hwids;

  it('means the contact that holds it, not the one that has it for its hwid (R-E8)', async () => {
    await mail('a@example.com', 'b@example.com');
    expect(await recipients('a@example.com')).toEqual({ seqs: [], unknown: ['a@example.com'] });
    expect(await recipients('b@example.com')).toEqual({ seqs: [await seqOf('a@example.com')], unknown: [] });
    expect([await contactsOf('a@example.com'), await contactsOf('b@example.com')]).toEqual([[], ['a@example.com']]);
  });

  it('means the contact that has taken it from the one with this hwid', async () => {
    await mail('moved@example.com', 'moved@example.com');
    test.clock.advance(1);
    await mail('crm-1', 'moved@example.com');
    await settle();
    expect(await recipients('moved@example.com')).toEqual({ seqs: [await seqOf('crm-1')], unknown: [] });
    expect(await contactsOf('moved@example.com')).toEqual(['crm-1', 'moved@example.com']);
    // A hwid that is no address means its contact.
    expect(await recipients('crm-1', 'crm-2')).toEqual({ seqs: [await seqOf('crm-1')], unknown: ['crm-2'] });
  });

  it('of a contact that was unregistered is known, and registers nobody', async () => {
    const hwid = 'silent@example.com';
    await mail(hwid, hwid);
    await apply(command(hwid, { $case: 'unregister', value: {} }));
    expect(await recipients(hwid)).toEqual({ seqs: [await seqOf(hwid)], unknown: [] });
    expect(await contactsOf(hwid)).toEqual([hwid]);
  });

  it('is none of a device of another platform', async () => {
    await register('phone', { pushToken: 'token@example.com' });
    expect(await recipients('token@example.com')).toEqual({ seqs: [], unknown: ['token@example.com'] });
    expect(await contactsOf('token@example.com')).toEqual([]);
  });

  test.hadNoTrouble();
});
