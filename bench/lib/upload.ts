import { setTimeout as delay } from 'node:timers/promises';
import { bulkDevice } from './load.ts';
import type { World } from './world.ts';

export const JOB_DEVICES = 50_000;
const POLL_MS = 100;

interface Uploaded {
  readonly hwid: string;
  readonly push_token: string;
  readonly platform: number;
  readonly tags?: Readonly<Record<string, unknown>>;
}

/** At most {@link JOB_DEVICES}. @throws unless all are registered */
export async function uploadDevices(
  { client, application }: Pick<World, 'client' | 'application'>,
  devices: readonly Uploaded[],
): Promise<void> {
  const { request_id } = await client.call('bulkRegisterDevice', { application, devices });
  for (;;) {
    const { status, devices_success: registered } = await client.call('getBulkRegisterDevice', { request_id });
    if (status === 'Completed' && registered === devices.length) return;
    if (status !== 'Pending') throw new Error(`${status} with ${registered} of ${devices.length} devices`);
    await delay(POLL_MS);
  }
}

export const phoneToken = (phone: number): string => `phone${phone}:APA91bExampleOfATokenThatIsAsLongAsRealOnesAre`;

/** They are named `phone-0` and so on. */
export const uploadPhones = (world: World, amount: number): Promise<void> =>
  uploadDevices(
    world,
    Array.from({ length: amount }, (_, i) => ({ hwid: `phone-${i}`, push_token: phoneToken(i), platform: 3 })),
  );

export async function uploadAudience(world: World, from: number, to: number): Promise<void> {
  if (from === 0) {
    await world.client.call('addTag', { tag: { name: 'Level', type: 1 } });
    await world.client.call('addTag', { tag: { name: 'Name', type: 2 } });
  }
  for (let first = from; first < to; first += JOB_DEVICES) {
    const amount = Math.min(JOB_DEVICES, to - first);
    await uploadDevices(
      world,
      Array.from({ length: amount }, (_, i) => ({ ...bulkDevice(first + i), tags: tagsOf(first + i) })),
    );
  }
  await world.settle();
}

const tagsOf = (i: number) => ({ ...bulkDevice(i).tags, Name: `anna${i}` });
