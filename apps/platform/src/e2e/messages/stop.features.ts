import { beforeAll, describe, expect, it } from '@jest/globals';
import { fcmToken } from '@tidings/simulators';
import { funnelFigures, listedMessage, type PlatformWorld, until } from '@tidings/testing';
import { ANDROID, android, type MessagesUnderTest } from './testing/messages.ts';

const DEVICES = 1_500;
/** A busy machine records pushes late. */
const AFTER_MS = process.env['TIDINGS_STRICT_RATES'] === '1' ? 1_000 : 4_000;

export function stopFeatures(test: MessagesUnderTest): void {
  const { sendOne, funnelOf, brokenBy } = test;
  let world: PlatformWorld;
  beforeAll(() => {
    ({ world } = test);
  });
  const pushes = () => world.simulators.ledger.of('fcm').entries({ limit: Infinity });
  const stop = (code: string) => world.call('stopMessage', { code });

  describe('a stopped message', () => {
    it('reaches no further device, has an outcome for each, and counts for capping where it was sent (R-S9)', async () => {
      const application = await world.application();
      const from = Math.floor(Math.random() * 1e8);
      await world.registerDevices(application, DEVICES, (i) => ({
        hwid: `s-${i}`,
        ...android(fcmToken('accepted', from + i)),
      }));
      const before = pushes().length;
      const sent = () => pushes().length - before;
      const cap = { capping_days: 7, capping_count: 1 };
      const code = await sendOne(application, { content: 'wrong', send_rate: 100, ...cap });
      await until(() => sent() > 20);
      const reply = await stop(code);
      const stoppedAt = world.simulators.clock.now();
      expect(reply).toEqual({ status: 'PROCESSING', stopped_at: expect.any(String) as unknown });
      await world.settle();
      expect(await stop(code)).toEqual({ ...reply, status: 'DONE' });
      expect((await listedMessage(world, application, code))?.status).toBe('DONE');
      expect(
        pushes()
          .slice(before)
          .filter(({ at }) => at > stoppedAt + AFTER_MS),
      ).toEqual([]);
      const figures = funnelFigures(await funnelOf(code), ANDROID);
      expect(figures).toMatchObject({ audience: DEVICES, eligible: DEVICES, sent: sent() });
      expect(figures.sent).toBeLessThan(DEVICES);
      expect(await brokenBy(application, code)).toEqual([]);
      const stopped = await lastFailed(application, code);
      expect(stopped).toMatchObject({ reason: 'INTERNAL_ERROR' });
      expect(stopped.explanation).toContain('The message was stopped');
      const again = await sendOne(application, { content: 'right', ...cap });
      await world.settle();
      expect(funnelFigures(await funnelOf(again), ANDROID).sent).toBe(DEVICES - figures.sent);
    });

    async function lastFailed(application: string, message: string) {
      for (let i = DEVICES - 1; i >= 0; i--) {
        const explained = await world.call('explain', { application, message, hwid: `s-${i}` });
        if (explained.answer === 'FAILED') return explained;
      }
      throw new Error('every device was sent to');
    }

    it('is canceled before its date, and is otherwise unknown', async () => {
      const application = await world.application();
      const { now } = await world.call('advanceClock', { advance_seconds: 0 });
      const date = new Date(Date.parse(now) + 3_600_000).toISOString().slice(0, 19);
      const code = await sendOne(application, { content: 'x', send_date: date });
      expect(await stop(code)).toEqual({ status: 'CANCELED', stopped_at: null });
      expect(await stop(code)).toEqual({ status: 'CANCELED', stopped_at: null });
      expect(await world.reply('stopMessage', { code: 'C3F8-C3863ED4-334AD4F1' })).toMatchObject({
        status: 404,
        body: { error: { message: 'Message not found' } },
      });
    });
  });
}
