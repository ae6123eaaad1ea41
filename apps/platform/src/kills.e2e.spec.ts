import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isAlive } from '@tidings/coordination';
import { platformProcess, type ProcessWorld, until } from '@tidings/testing';

const DEVICES = 400;
const MANY = 20_000;
/** A kill repeats what was answered since the last record, and what was on the wire. */
const REPEATED_MAX = 1_000;

describe('the platform as a process', () => {
  let world: ProcessWorld;
  let application: string;

  const send = async (to = application): Promise<string> => {
    const { Messages: messages } = await world.call('createMessage', {
      application: to,
      notifications: [{ content: 'Hello' }],
    });
    return messages[0]!;
  };
  const sent = async (message: string): Promise<number> => {
    const { channels } = await world.call('getDeliveryFunnel', { message_code: message });
    return Number(channels[0]?.funnel.find(({ stage }) => stage === 'STAGE_SENT')?.count ?? 0);
  };

  beforeAll(async () => {
    world = await platformProcess();
    application = await world.application({ ios: false });
    await world.registerDevices(application, DEVICES, (i) => ({
      hwid: `device-${i}`,
      device_type: 3,
      push_token: `token-${i}`,
    }));
  });
  afterAll(() => world?.stop());

  it.each(['platform', 'everything'] as const)(
    'continues after a kill of the %s during a message: every device once',
    async (what) => {
      const before = world.simulators.ledger.of('fcm').summary();
      const message = await send();
      await world.kill(what);
      await world.start();
      await world.settle(60_000);
      expect(await sent(message)).toBe(DEVICES);
      const after = world.simulators.ledger.of('fcm').summary();
      // A push repeated after an unknown outcome has the same masking id.
      expect(after.duplicates - before.duplicates).toBe(after.masked - before.masked);
      expect(after.accepted - before.accepted - (after.duplicates - before.duplicates)).toBe(DEVICES);
    },
  );

  it(`repeats at most ${REPEATED_MAX} pushes of a broadcast to ${MANY} devices after a kill`, async () => {
    const many = await world.application({ ios: false });
    await world.registerDevices(many, MANY, (i) => ({ hwid: `d${i}`, device_type: 3, push_token: `many-${i}` }));
    const ledger = world.simulators.ledger.of('fcm');
    const before = ledger.summary();
    const message = await send(many);
    await until(() => ledger.summary().accepted - before.accepted > MANY / 3);
    await world.kill('platform');
    await world.start();
    await world.settle(60_000);
    expect(await sent(message)).toBe(MANY);
    const after = ledger.summary();
    const repeated = after.duplicates - before.duplicates;
    expect(repeated).toBe(after.masked - before.masked);
    expect(after.accepted - before.accepted - repeated).toBe(MANY);
    expect(repeated).toBeLessThanOrEqual(REPEATED_MAX);
  });

  it('restarts its server when that alone is killed, and loses nothing', async () => {
    const message = await send();
    const { mongod } = await world.pids();
    process.kill(mongod!, 'SIGKILL');
    await world.settle(60_000);
    expect(await sent(message)).toBe(DEVICES);
    expect((await world.pids()).mongod).not.toBe(mongod);
  });

  it('takes over a server that its parent left behind', async () => {
    const before = await world.pids();
    await world.kill('platform');
    expect(isAlive(before.mongod!)).toBe(true);
    await world.start();
    const after = await world.pids();
    expect(after.mongod).toBe(before.mongod);
    expect(after.platform).not.toBe(before.platform);
  });

  it('ends in order on SIGTERM, with its server', async () => {
    const { mongod } = await world.pids();
    expect(await world.end()).toBe(0);
    expect(isAlive(mongod!)).toBe(false);
    await world.start();
    expect((await world.reply('settled')).status).not.toBe(401);
  });
});
