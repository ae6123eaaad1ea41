import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openFrameLink } from '@tidings/http2';
import { Platform } from '@tidings/kernel';
import { AddressGuard } from '@tidings/runtime';
import { forgetfulReceipts } from '../../testing/forgetful-receipts.ts';
import { LaneWorld } from '../../testing/lane-world.ts';
import { sendBatch } from '../../testing/test-batches.ts';
import { smsNumber, type Simulators, startSimulators } from '../../testing/test-simulators.ts';
import { smsChannel } from './sms-channel.ts';

const own = { sms_smpp_host: '127.0.0.1', sms_system_id: 'own', sms_password: 'secret', sms_sender: 'Own' };

describe('the SMSC of the deployment (R-A6)', () => {
  let simulators: Simulators;
  beforeAll(async () => {
    simulators = await startSimulators({ control: false, keepPayloads: true });
  });
  afterAll(() => simulators.close());

  async function sentBy(n: number, settings: Record<string, string> | undefined, url?: string) {
    const some = { [Platform.iOS]: { settings: {} } };
    const credentials = settings ? { ...some, [Platform.Sms]: { settings } } : some;
    const world = new LaneWorld(
      credentials,
      (parts) =>
        smsChannel({
          ...parts,
          addresses: new AddressGuard([]),
          receipts: forgetfulReceipts,
          url,
          onError: (error) => {
            throw error;
          },
        }),
      simulators.clock,
      openFrameLink,
    );
    const number = smsNumber('accepted', n);
    const batch = sendBatch([{ number: 0, devices: [{ position: 0, token: number }] }], {
      platform: Platform.Sms,
      credential: { application: 'AAAAA-00000', platform: Platform.Sms, version: settings ? 1 : 0 },
    });
    try {
      const outcomes = await world.send(batch);
      const [entry] = simulators.ledger.of('smpp').entries({ token: number, reason: 'accepted' });
      return [outcomes.get(0), entry && (JSON.parse(entry.payload!) as { from: string }).from];
    } finally {
      await world.close();
    }
  }

  const deployment = (): string => `smpp://shared:secret@${new URL(simulators.urlOf('smpp')).host}?sender=Shop`;

  it('serves applications without settings of their own, at an address that callers could not name', async () => {
    expect(await sentBy(1, undefined, deployment())).toEqual(['SENT', 'Shop']);
    expect(await sentBy(2, undefined)).toEqual(['INVALID_CONFIGURATION 0 not_configured', undefined]);
  });

  it.each([
    ['a literal address', { sms_smpp_host: '127.0.0.1' }],
    ['a name that resolves to one', { sms_smpp_host: 'localhost' }],
  ])('does not let callers use private networks: %s (T16)', async (_, more) => {
    const { port } = new URL(simulators.urlOf('smpp'));
    const outcome = await sentBy(4, { ...own, sms_smpp_port: port, ...more });
    expect(outcome).toEqual(['INVALID_CONFIGURATION 0 private_address', undefined]);
    const sms_http_url = simulators.urlOf('sms').replace('127.0.0.1', more.sms_smpp_host);
    const twilio = { sms_http_url, sms_http_account: 'A', sms_http_token: 'secret', sms_sender: '+1' };
    expect(await sentBy(5, twilio)).toEqual([expect.stringMatching(/ 0 private_address$/), undefined]);
    expect(simulators.ledger.of('sms').entries({})).toEqual([]);
  });

  it('is replaced by the settings of an application, also by unusable ones', async () => {
    const { port } = new URL(simulators.urlOf('smpp'));
    expect(await sentBy(3, { ...own, sms_smpp_port: port }, deployment())).toEqual([
      'INVALID_CONFIGURATION 0 private_address',
      undefined,
    ]);
  });
});
