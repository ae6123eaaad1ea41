import { beforeAll, describe, expect, it } from '@jest/globals';
// eslint-disable-next-line @nx/enforce-module-boundaries -- a program of its own, whose special addresses a suite needs
import { mailAddress, mailReplyAddress } from '@tidings/simulators';
import { funnelFigures, type PlatformWorld } from '@tidings/testing';
import type { MessagesUnderTest } from './testing/messages.ts';

const EMAIL = 14;

/** Suites about e-mail. */
export function emailFeatures(test: MessagesUnderTest): void {
  const { sendOne, funnelOf, brokenBy } = test;
  let world: PlatformWorld;
  beforeAll(() => {
    ({ world } = test);
  });

  describe('e-mail', () => {
    let application: string;
    const dead = mailAddress('dead', 1, 0, 'suite.example');
    const full = mailReplyAddress('552 5.2.2 mailbox full', 2, 'suite.example');
    const people = ['anna@suite.example', 'boris@suite.example', 'clara@suite.example', 'dora@suite.example'];
    const [anna, boris, clara, dora] = people as [string, string, string, string];

    /** The mails to an address, the first one first. */
    const mailsTo = (address: string): string[] =>
      world.simulators.ledger
        .of('email')
        .entries({ token: address })
        .map(({ payload }) => payload ?? '');
    const audienceOf = async (code: string) => {
      const funnel = await funnelOf(code);
      const { audience, eligible, sent } = funnelFigures(funnel, EMAIL, 'EMAIL');
      const stages = funnel.channels.find(({ channel }) => channel === 'CHANNEL_EMAIL')?.funnel;
      const pieces = stages?.find(({ stage }) => stage === 'STAGE_AUDIENCE')?.pieces ?? [];
      const reasons = pieces.filter(({ kind, count }) => kind === 'KIND_REASON' && count !== '0');
      return {
        audience,
        eligible,
        sent,
        excluded: Object.fromEntries(reasons.map((each) => [each.category, Number(each.count)])),
      };
    };

    beforeAll(async () => {
      application = await world.application({ ios: false, android: false });
      await world.call('configureApplication', {
        ...{ application, device_type: EMAIL },
        ...{ email_from_email: 'shop@suite.example', email_from_name: 'Shop', email_reply: 'help@suite.example' },
      });
      for (const email of [...people, dead, full]) await world.call('registerEmail', { application, email });
      await world.call('setEmailTags', { application, email: boris, tags: { 'Unsubscribed Emails': true } });
      await world.call('blacklistAddress', { address: clara.toUpperCase() });
      await world.call('recordComplaint', { address: dora });
      await world.settle();
    });

    it('goes to contacts who want it, and puts addresses that bounce hard on the blacklist (R-E5, R-E14)', async () => {
      const news = { content: '<p>Hello</p>', title: 'News', platforms: [EMAIL] };
      const code = await sendOne(application, news);
      await world.settle();
      expect(await audienceOf(code)).toEqual({
        ...{ audience: 6, eligible: 3, sent: 3 },
        excluded: { UNSUBSCRIBED: 1, BOUNCED: 1, COMPLAINT: 1 },
      });
      expect(await brokenBy(application, code)).toEqual([]);
      expect(people.map((address) => mailsTo(address).length)).toEqual([1, 0, 0, 0]);
      expect(mailsTo(anna)[0]).toContain('Subject: News\r\n');
      for (const address of [dead, full])
        expect(await world.call('getBlacklisted', { address })).toMatchObject({ address });
      const again = await sendOne(application, { ...news, message_type: 'transactional' });
      await world.settle();
      expect(await audienceOf(again)).toEqual({
        ...{ audience: 6, eligible: 2, sent: 2 },
        excluded: { BOUNCED: 3, COMPLAINT: 1 },
      });
      expect(people.map((address) => mailsTo(address).length)).toEqual([2, 1, 0, 0]);
      expect(mailsTo(dead)).toHaveLength(1);
    });
  });
}
