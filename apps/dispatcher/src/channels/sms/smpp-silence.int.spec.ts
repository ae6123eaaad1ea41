import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { SendBatch } from '@tidings/events';
import { openNodeLink } from '@tidings/http2';
import { Platform } from '@tidings/kernel';
import { LaneWorld } from '../../testing/lane-world.ts';
import { smsWithoutReceipts } from '../../testing/sms-without-receipts.ts';
import { sendBatch } from '../../testing/test-batches.ts';
import { smsNumber, type Simulators, startSimulators } from '../../testing/test-simulators.ts';

interface Scene {
  readonly simulators: Simulators;
  readonly world: LaneWorld;
}

const UNKNOWN = 'INTERNAL_ERROR 0 unknown_outcome';

const batch = (count: number, bucket = 0): SendBatch => {
  const devices = Array.from({ length: count }, (_, i) => ({ position: i, token: smsNumber('accepted', i) }));
  return sendBatch([{ number: 0, devices }], {
    platform: Platform.Sms,
    atMostOnce: true,
    bucket,
    credential: { application: 'AAAAA-00000', platform: Platform.Sms, version: 1 },
  });
};

const scenario = (title: string, test: (scene: Scene) => Promise<void>, expiresEarlyMs = 0): void =>
  it.concurrent(title, async () => {
    const simulators = await startSimulators({ control: false });
    const settings = {
      sms_smpp_host: '127.0.0.1',
      sms_smpp_port: new URL(simulators.urlOf('smpp')).port,
      sms_system_id: 'system',
      sms_password: 'secret',
      sms_sender: 'Shop',
    };
    const credentials = { [Platform.Sms]: { settings } };
    const world = new LaneWorld(credentials, smsWithoutReceipts, simulators.clock, openNodeLink, { expiresEarlyMs });
    try {
      await test({ simulators, world });
    } finally {
      await world.close();
      await simulators.close();
    }
  });

describe('an SMSC', () => {
  scenario('is tried again if it answers no bind', async ({ simulators, world }) => {
    await simulators.faults.set('smpp', { ignoredCommand: 'bindTransceiver' });
    await world.dispatch(batch(12));
    await delay(6_000);
    expect(world.deviceOutcomes().size).toBe(0);
    await simulators.faults.set('smpp', { ignoredCommand: null });
    const outcomes = await world.send(batch(12, 1));
    expect(new Set(outcomes.values())).toEqual(new Set(['SENT']));
  });

  scenario(
    'leaves few messages in doubt if it answers none, and gets the others on another bind',
    async ({ simulators, world }) => {
      await simulators.faults.set('smpp', { ignoredCommand: 'submit' });
      const handed = world.dispatch(batch(40));
      await delay(10_000);
      await simulators.faults.set('smpp', { ignoredCommand: null });
      await handed;
      await world.settle();
      const outcomes = [...world.deviceOutcomes().values()];
      expect(outcomes).toHaveLength(40);
      const doubtful = outcomes.filter((outcome) => outcome !== 'SENT');
      expect(new Set(doubtful)).toEqual(new Set([UNKNOWN]));
      expect(doubtful.length).toBeLessThanOrEqual(20);
      expect(simulators.ledger.summary().smpp).toMatchObject({ duplicates: 0 });
      expect(simulators.ledger.summary().smpp.byReason['bound']).toBeGreaterThan(1);
    },
    26_000,
  );

  scenario('accepts every message if it answers no enquire_link', async ({ simulators, world }) => {
    await simulators.faults.set('smpp', { ignoredCommand: 'enquire', latencyMs: 1_500 });
    const outcomes = await world.send(batch(40));
    expect([...outcomes.values()].filter((outcome) => outcome !== 'SENT')).toEqual([]);
    expect(simulators.ledger.summary().smpp).toMatchObject({ accepted: 40, duplicates: 0 });
  });

  scenario('does not refuse the credential if it stalls and allows one bind', async ({ simulators, world }) => {
    await world.send(batch(1));
    await simulators.faults.set('smpp', { answer: '0x0D', ignoredCommand: 'enquire', latencyMs: 6_000 });
    const handed = world.dispatch(batch(5, 1));
    await delay(4_000);
    await world.dispatch(batch(5, 2));
    await handed;
    expect([...world.deviceOutcomes().values()].filter((outcome) => outcome.includes('RBINDFAIL'))).toEqual([]);
    await simulators.faults.clear();
    await world.settle();
  });
});
