import { setTimeout as delay } from 'node:timers/promises';
import { HttpClient } from '@tidings/client';
import { sendToAll } from './campaign.ts';
import { phoneToken } from './upload.ts';
import type { Providers, World } from './world.ts';

const EVERY_MS = 100;

/** Messages to single phones while everybody else is sent to. */
export interface Beside {
  /** Milliseconds from the call until the message is on the wire. */
  readonly latencies: readonly number[];
  readonly broadcasts: number;
  /** Pushes of the broadcasts per second. */
  readonly rate: number;
}

/**
 * Messages are sent at fixed times, whether or not earlier ones have arrived, beside as many broadcasts as `messages` take.
 *
 * @param phones uploaded before; each gets one message at most, so that its arrival is found by its token
 */
export async function messagesBeside(
  world: World,
  { controlUrl }: Providers,
  { devices, messages, phones }: { readonly devices: number; readonly messages: number; readonly phones: number },
): Promise<Beside> {
  const ledger = new HttpClient(controlUrl, 4);
  try {
    const started: number[] = [];
    let [broadcasts, seconds] = [0, 0];
    for (; started.length < messages && started.length < phones; broadcasts++) {
      const begunAt = performance.now();
      await besideBroadcast(world, { devices, phones, started });
      seconds += (performance.now() - begunAt) / 1000;
    }
    const latencies: number[] = [];
    for (const [phone, at] of started.entries()) latencies.push((await arrivalAt(ledger, phone)) - at);
    return { latencies, broadcasts, rate: (broadcasts * devices) / seconds };
  } finally {
    ledger.close();
  }
}

/** Adds when each message was sent to `started`. */
async function besideBroadcast(
  world: World,
  { devices, phones, started }: { readonly devices: number; readonly phones: number; readonly started: number[] },
): Promise<void> {
  let isSent = false;
  const broadcast = sendToAll(world, devices, () => void (isSent = true));
  const calls: Promise<unknown>[] = [];
  // The recipients are being determined.
  await delay(EVERY_MS);
  while (!isSent && started.length < phones) {
    const notifications = [{ content: 'Hello', devices: [`phone-${started.length}`] }];
    started.push(Date.now());
    calls.push(world.client.call('createMessage', { application: world.application, notifications }));
    await Promise.race([delay(EVERY_MS), broadcast]);
  }
  await Promise.all([broadcast, ...calls]);
}

async function arrivalAt(ledger: HttpClient, phone: number): Promise<number> {
  const query = new URLSearchParams({ provider: 'fcm', token: phoneToken(phone), limit: '1' });
  const { body } = await ledger.send(`/ledger/entries?${query.toString()}`);
  const [entry] = body as readonly { readonly at: number }[];
  if (!entry) throw new Error(`the message to phone ${phone} did not arrive`);
  return entry.at;
}
