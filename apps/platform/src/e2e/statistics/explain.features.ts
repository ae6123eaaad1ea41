import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ReplyOf } from '@tidings/client';
import { apnsReasonToken, apnsToken, fcmToken } from '@tidings/simulators';
import { funnelFigures, type PlatformWorld, untilDone } from '@tidings/testing';
import { android, CHROME, ios, type MessagesUnderTest } from '../messages/testing/messages.ts';

type Explained = ReplyOf<'explain'>;

function summed(explained: readonly Explained[]) {
  const outcomes = explained.flatMap((each) => each.outcomes);
  const count = (test: (outcome: (typeof outcomes)[number]) => boolean): number => outcomes.filter(test).length;
  const errors: Record<string, number> = {};
  for (const { error } of outcomes) if (error) errors[error.category] = (errors[error.category] ?? 0) + 1;
  const rows: Record<string, number> = {};
  for (const { result, displayable, delivered_in_window: confirmed } of outcomes) {
    if (result !== 'SENT') continue;
    const row = `${displayable ? '' : 'NOT_'}DISPLAYABLE_${confirmed ? 'CONFIRMED' : 'NO_CONFIRMATION'}`;
    rows[row] = (rows[row] ?? 0) + 1;
  }
  const sent = count(({ result }) => result === 'SENT');
  return {
    audience: outcomes.length,
    eligible: count(({ audience }) => audience === 'ELIGIBLE_AUDIENCE'),
    sent,
    failed: count(({ error }) => error !== null),
    errors,
    rows,
    confirmed: count(({ delivered_at: delivered }) => delivered !== null),
    opened: count(({ result, opened_in_window: opened }) => result === 'SENT' && opened),
  };
}

export function explainFeatures(test: MessagesUnderTest): void {
  const { sendOne, register, funnelOf } = test;
  let world: PlatformWorld;
  beforeAll(() => {
    ({ world } = test);
  });

  describe('explain', () => {
    let application: string;
    let code: string;
    const devices: readonly (readonly [hwid: string, answer: string, reason: string | null, more: object])[] = [
      ['sent-1', 'SENT', null, ios(apnsToken('accepted', 30_001))],
      ['sent-2', 'SENT', null, android(fcmToken('accepted', 30_002))],
      ['opened', 'SENT', null, android(fcmToken('accepted', 30_003))],
      ['quiet', 'SENT', null, android(fcmToken('accepted', 30_004))],
      ['retried', 'SENT', null, ios(apnsToken('unavailable', 30_005))],
      ['dead', 'FAILED', 'INVALID_TOKEN', android(fcmToken('dead', 30_006))],
      ['payload', 'FAILED', 'INVALID_CONTENT', ios(apnsToken('payloadRefused', 30_007))],
      ['server', 'FAILED', 'PROVIDER_ERROR', ios(apnsToken('serverError', 30_008))],
      ['path', 'FAILED', 'INTERNAL_ERROR', ios(apnsReasonToken('BadPath', 30_009))],
      ['no-token', 'FAILED', 'NO_TOKEN', { device_type: 3 }],
      ['chrome', 'FAILED', 'PLATFORM_DISABLED', { device_type: CHROME, push_token: 'https://push.example.com/3' }],
      ['unlisted', 'NOT_ADDRESSED', 'not_named', android(fcmToken('accepted', 30_010))],
    ];
    const listed = devices.flatMap(([hwid]) => (hwid === 'unlisted' ? [] : [hwid]));
    const explain = (hwid: string, message = code): Promise<Explained> =>
      world.call('explain', { application, message, hwid });

    beforeAll(async () => {
      application = await world.application();
      for (const [hwid, , , more] of devices) await register(application, hwid, { ...more });
      await world.call('setTags', { application, hwid: 'quiet', tags: { 'Push Alerts Enabled': false } });
      await world.settle();
      code = await sendOne(application, { content: 'x', devices: listed });
      await untilDone(world, application, code, { stepSeconds: 130, timeoutSeconds: 10_000 });
      const hashOf = (n: number) =>
        world.simulators.ledger.of('fcm').entries({ token: fcmToken('accepted', n) })[0]!.hash;
      await world.call('pushStat', { application, hwid: 'opened', hash: hashOf(30_003) });
      await world.call('messageDeliveryEvent', { application, hwid: 'quiet', hash: hashOf(30_004) });
      await world.settle();
    });

    it('answers for every device', async () => {
      const explained = await Promise.all(devices.map(async ([hwid]) => explain(hwid)));
      expect(explained.map(({ answer, reason }, i) => [devices[i]![0], answer, reason])).toEqual(
        devices.map(([hwid, answer, reason]) => [hwid, answer, reason]),
      );
    });

    it('agrees with the funnel over the audience, by platform', async () => {
      const explained = await Promise.all(devices.map(async ([hwid]) => explain(hwid)));
      const funnel = await funnelOf(code);
      const mobile = explained.map((each) => ({
        ...each,
        outcomes: each.outcomes.filter(({ platform }) => platform !== CHROME),
      }));
      expect(summed(mobile)).toEqual(funnelFigures(funnel));
      const web = explained.flatMap(({ outcomes }) => outcomes.filter(({ platform }) => platform === CHROME));
      expect(web).toHaveLength(funnelFigures(funnel, CHROME, 'WEB_PUSH').audience);
    });

    it('shows the plan, the attempt with the answer of the provider, and the reports', async () => {
      const { plans, attempts } = await explain('dead');
      expect(plans).toMatchObject([
        { bucket: 0, excluded: null, failure: null, slice: { variant: 'alert', number: 0 } },
      ]);
      expect(attempts).toMatchObject([{ channel: 'fcm', state: 'settled', result: { category: 'INVALID_TOKEN' } }]);
      const opened = await explain('opened');
      expect(opened.outcomes).toMatchObject([{ displayable: true, opened_in_window: true, delivered_in_window: true }]);
      expect((await explain('quiet')).outcomes).toMatchObject([{ displayable: false, opened_at: null }]);
    });

    it('explains a device that waits for a retry', async () => {
      await register(application, 'waiting', ios(apnsToken('throttled', 30_011, 0)));
      await world.call('setDebug', { code: application });
      const message = await sendOne(application, { content: 'x', devices: ['waiting'] });
      await world.settle();
      const { answer, reason, attempts } = await explain('waiting', message);
      expect([answer, reason]).toEqual(['IN_FLIGHT', 'deferred']);
      expect(attempts).toMatchObject([{ channel: 'apns', state: 'deferred', result: null }]);
      expect(attempts[0]!.due_at).not.toBeNull();
    });

    it('explains the control group, a scheduled and a cancelled message', async () => {
      await world.call('setControlGroup', { code: application, percentage: 100 });
      const message = await sendOne(application, { content: 'x', inbox_days: 2 });
      await world.settle();
      const excluded = { answer: 'EXCLUDED', reason: 'CONTROL_GROUP' };
      expect(await explain('sent-1', message)).toMatchObject(excluded);
      expect(await explain('no-token', message)).toMatchObject({ ...excluded, outcomes: [] });
      await world.call('setControlGroup', { code: application, percentage: 0 });
      // Other suites may have moved the clock of a shared system.
      const { now } = await world.call('advanceClock', { advance_seconds: 0 });
      const inTenDays = new Date(Date.parse(now) + 10 * 86_400_000).toISOString().slice(0, 16).replace('T', ' ');
      const later = await sendOne(application, { content: 'x', send_date: inTenDays });
      expect(await explain('sent-1', later)).toMatchObject({ answer: 'NOT_RELEASED', outcomes: [], plans: [] });
      await world.call('deleteMessage', { message: later });
      await world.settle();
      expect(await explain('sent-1', later)).toMatchObject({ answer: 'CANCELED' });
    });

    it('explains a device without a token that has the message in the inbox alone', async () => {
      const message = await sendOne(application, { content: 'x', inbox_days: 2 });
      await world.settle();
      const explained = await explain('no-token', message);
      expect(explained).toMatchObject({ answer: 'INBOX_ONLY', reason: 'no_token', outcomes: [], attempts: [] });
      expect(explained.plans).toMatchObject([{ excluded: null, failure: null, slice: null, inbox_only: true }]);
      const { messages } = await world.call('getInboxMessages', { application, userId: 'no-token' });
      const until = Date.parse(explained.plans[0]!.inbox_until!) / 1000;
      expect(messages.map(({ rt }) => rt)).toEqual([String(until)]);
      const sent = await explain('opened', message);
      expect(sent).toMatchObject({ answer: 'SENT', plans: [{ inbox_only: false }] });
      expect(sent.plans[0]!.inbox_until).toBe(explained.plans[0]!.inbox_until);
    });

    it('explains a device that was deleted since, by its number', async () => {
      await world.call('deleteDevice', { application, hwid: 'sent-2' });
      await world.settle();
      const { answer, device } = await explain('sent-2');
      expect([answer, device.deleted, device.platform]).toEqual(['SENT', true, null]);
    });

    it('is refused for unknown devices and messages', async () => {
      for (const given of [
        { application: 'AAAAA-00000', message: code, hwid: 'dead' },
        { application, message: '0000-00000000-00000000', hwid: 'dead' },
        { application, message: code, hwid: 'never' },
      ])
        await expect(world.call('explain', given)).rejects.toMatchObject({
          reply: { status: 404, body: { error: { kind: 'notFound' } } },
        });
    });

    it('shows no outcomes after 30 days', async () => {
      await world.advance(31 * 86_400);
      expect(await explain('dead')).toMatchObject({ answer: 'EXPIRED', outcomes: [], plans: [], attempts: [] });
    });
  });
}
