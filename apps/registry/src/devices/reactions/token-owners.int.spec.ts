import { describe, expect, it } from '@jest/globals';
import { topicNames, SliceOutcome } from '@tidings/events';
import { Platform } from '@tidings/kernel';
import { describeWithMongo } from '@tidings/testing';
import { RegistryUnderTest } from '../../testing/registry-under-test.ts';

describeWithMongo('the registry', (mongo) => {
  const test = new RegistryUnderTest(mongo);
  const { settle, command, registration, apply, register, setTags, tagsOf, stored } = test;

  describe('recipients', () => {
    it('are found by hwid, else by push token, in lower case for iOS, else unknown', async () => {
      await register('r1', { pushToken: 'Tok-A' });
      await register('r2', { platform: Platform.iOS, pushToken: 'ABCDEF' });
      await register('r3', { userId: 'clara' });
      const seq = async (hwid: string) => (await stored(hwid))['seq'] as number;
      const found = (kind: 'devices' | 'users', names: string[]) => test.named({ $case: kind, value: { names } });
      expect((await stored('r2'))['token']).toBe('abcdef');
      expect(await found('devices', ['r1', 'AbCdEf', 'nobody', 'r1', 'nobody'])).toEqual({
        seqs: [await seq('r1'), await seq('r2')].sort((a, b) => a - b),
        unknown: ['nobody'],
      });
      expect(await found('devices', ['Tok-A', 'tok-a'])).toEqual({ seqs: [await seq('r1')], unknown: ['tok-a'] });
      expect(await found('users', ['clara', 'r1', 'nobody'])).toEqual({
        seqs: [await seq('r1'), await seq('r3')].sort((a, b) => a - b),
        unknown: ['nobody'],
      });
    });
  });

  describe('a push token', () => {
    it('belongs to the device that registered it last', async () => {
      await register('t1', { pushToken: 'moving' });
      test.clock.advance(1);
      await register('t2', { pushToken: 'moving' });
      await register('t3', { platform: Platform.Chrome, pushToken: 'moving' });
      await settle();
      expect(await stored('t1')).not.toHaveProperty('token');
      expect(await stored('t1')).toMatchObject({ alerts: true });
      expect(await stored('t2')).toMatchObject({ token: 'moving' });
      expect(await stored('t3')).toMatchObject({ token: 'moving' });
      test.clock.advance(1);
      await register('t1', { pushToken: 'moving' });
      await settle();
      expect(await stored('t2')).not.toHaveProperty('token');
      expect(await stored('t1')).toMatchObject({ token: 'moving' });
    });

    it('takes the unsubscribes along if it is an e-mail address (R-E14)', async () => {
      const contact = { platform: Platform.Email, pushToken: 'anna@example.com' };
      await register('anna@example.com', contact);
      await setTags('anna@example.com', { 'Unsubscribed Emails': true, 'Unsubscribed Categories': ['News'] });
      test.clock.advance(1);
      await register('crm-1', { ...contact, tags: { 'Unsubscribed Categories': ['Offers'] } });
      await settle();
      expect(await stored('anna@example.com')).not.toHaveProperty('token');
      expect(await stored('crm-1')).toMatchObject({ token: 'anna@example.com' });
      expect(await tagsOf('crm-1')).toMatchObject({
        'Unsubscribed Emails': true,
        'Unsubscribed Categories': ['Offers', 'News'],
      });
    });

    it('takes along the tags of an imported device that the new one lacks', async () => {
      const before = { tags: { City: 'Berlin', Country: 'DE' } };
      await register('imported', { pushToken: 'adopted', adoptByToken: true, ...before });
      await register('kept', { pushToken: 'not adopted', ...before });
      test.clock.advance(1);
      await register('app-1', { pushToken: 'adopted', tags: { City: 'Paris' } });
      await register('app-2', { pushToken: 'not adopted' });
      await settle();
      expect(await stored('imported')).not.toHaveProperty('token');
      expect(await tagsOf('app-1')).toMatchObject({ City: 'Paris', Country: 'DE' });
      expect(await tagsOf('app-2')).not.toHaveProperty('City');
    });

    it('stays on one device after many registrations at once', async () => {
      await apply(
        ...Array.from({ length: 30 }, (_, i) => command(`crowd${i}`, registration({ pushToken: 'crowded' }))),
      );
      await settle();
      expect(await mongo.db.collection('devices').countDocuments({ app: test.app, token: 'crowded' })).toBe(1);
    });

    const outcome = async (
      hwid: string,
      token: string,
      times: { claimedAt: Date; since?: Date; replacement?: string },
    ): Promise<SliceOutcome> => {
      const seq = (await stored(hwid))['seq'] as number;
      return {
        message: 'M',
        messageId: 1n,
        account: 'default',
        application: test.app,
        bucket: 0,
        chunk: seq >>> 16,
        platform: 3,
        variant: 'alert',
        number: 0,
        entry: undefined,
        at: test.clock.date,
        outcome: {
          $case: 'settled',
          value: {
            sent: [],
            failed: [],
            deadTokens: [{ position: seq & 0xffff, token, since: times.since, replacement: times.replacement ?? '' }],
            bounced: [],
            claimedAt: times.claimedAt,
          },
        },
      };
    };
    const publish = async (...outcomes: SliceOutcome[]): Promise<void> => {
      await test.broker.publish(
        topicNames.deadTokens,
        outcomes.map((value) => ({ key: `M/${test.app}/0`, value: SliceOutcome.encode(value).finish() })),
      );
      await settle();
    };

    it('is removed if it is dead, and alerts are off', async () => {
      await register('dead', { pushToken: 'dead-token' });
      test.clock.advance(10);
      const dead = await outcome('dead', 'dead-token', { claimedAt: test.clock.date });
      await publish(dead, dead);
      expect(await stored('dead')).not.toHaveProperty('token');
      expect(await stored('dead')).toMatchObject({ alerts: false });
      expect(await tagsOf('dead')).toMatchObject({ 'Push Alerts Enabled': false });
    });

    it('is replaced by the one that the provider reports, which another device loses (R-P3)', async () => {
      await register('moved', { pushToken: 'old-id' });
      await register('other', { pushToken: 'canonical' });
      await register('again', { pushToken: 'again-id' });
      const claimedAt = test.clock.date;
      test.clock.advance(10);
      await register('again', { pushToken: 'again-id' });
      test.clock.advance(10);
      const moved = await outcome('moved', 'old-id', { claimedAt, replacement: 'canonical' });
      await publish(moved, moved, await outcome('again', 'again-id', { claimedAt, replacement: 'canonical' }));
      expect(await stored('moved')).toMatchObject({ token: 'canonical', alerts: true });
      expect(await stored('other')).not.toHaveProperty('token');
      expect(await stored('again')).toMatchObject({ token: 'again-id' });
      const tooLong = await outcome('moved', 'canonical', {
        claimedAt: test.clock.date,
        replacement: 'x'.repeat(4097),
      });
      await publish(tooLong);
      expect(await stored('moved')).toMatchObject({ token: 'canonical' });
    });

    it('stays if it was registered again later, or replaced', async () => {
      await register('alive', { pushToken: 'alive-token' });
      await register('replaced', { pushToken: 'old' });
      const claimedAt = test.clock.date;
      test.clock.advance(10);
      await register('alive', { pushToken: 'alive-token' });
      await register('replaced', { pushToken: 'new' });
      test.clock.advance(10);
      await publish(
        await outcome('alive', 'alive-token', { claimedAt }),
        await outcome('alive', 'alive-token', { claimedAt: test.clock.date, since: claimedAt }),
        await outcome('replaced', 'old', { claimedAt: test.clock.date }),
      );
      expect(await stored('alive')).toMatchObject({ token: 'alive-token', alerts: true });
      expect(await stored('replaced')).toMatchObject({ token: 'new', alerts: true });
      await publish(await outcome('alive', 'alive-token', { claimedAt, since: test.clock.date }));
      expect(await stored('alive')).not.toHaveProperty('token');
    });
  });

  test.expectNoWarnings();
});
