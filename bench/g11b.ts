import { setTimeout as delay } from 'node:timers/promises';
import { HttpClient } from '@tidings/client';
import { sendToAll } from './lib/campaign.ts';
import { type Figure, format, type Measure, median, percentile } from './lib/figure.ts';
import { phoneToken, uploadAudience, uploadPhones } from './lib/upload.ts';
import { figureOfWorlds, type Providers, type World } from './lib/world.ts';

const DEVICES = Number(process.env['G11B_DEVICES'] ?? 1_000_000);
/** In as many broadcasts as that takes. */
const MESSAGES = Number(process.env['G11B_MESSAGES'] ?? 200);
const EVERY_MS = 100;
/** Each gets one message, so that its arrival is found by its token. */
const PHONES = 10_000;
const WARM_UP_DEVICES = 50_000;
const ENTRIES = 5_000_000;

/** Messages are sent at fixed times, whether or not earlier ones have arrived. */
export const measure = (): Promise<Figure> =>
  figureOfWorlds(
    {
      id: 'G11b',
      title: 'createMessage to one device beside a broadcast until it is on the wire, p99',
      modes: ['embedded'],
    },
    measureIn,
    ENTRIES,
  );

async function measureIn(world: World, { controlUrl }: Providers): Promise<Measure[]> {
  const ledger = new HttpClient(controlUrl, 4);
  try {
    await uploadPhones(world, PHONES);
    const warmUp = Math.min(DEVICES, WARM_UP_DEVICES);
    await uploadAudience(world, 0, warmUp);
    await sendToAll(world, warmUp);
    await uploadAudience(world, warmUp, DEVICES);
    const started: number[] = [];
    let [broadcasts, seconds] = [0, 0];
    for (; started.length < MESSAGES && started.length < PHONES; broadcasts++) {
      const begunAt = performance.now();
      await besideBroadcast(world, started);
      seconds += (performance.now() - begunAt) / 1000;
    }
    const latencies: number[] = [];
    for (const [phone, at] of started.entries()) latencies.push((await arrivalAt(ledger, phone)) - at);
    return [
      {
        title: world.mode,
        value: percentile(latencies, 0.99),
        unit: 'ms',
        floor: { most: 1000 },
        goal: { most: 100 },
        spread: [Math.min(...latencies), Math.max(...latencies)],
        details: {
          median: `${format(median(latencies))} ms`,
          of: `${latencies.length} messages beside ${broadcasts} broadcasts to ${DEVICES} devices`,
          rate: `${format((broadcasts * DEVICES) / seconds)} pushes/s`,
        },
      },
    ];
  } finally {
    ledger.close();
  }
}

/** Adds when each message was sent to `started`. */
async function besideBroadcast(world: World, started: number[]): Promise<void> {
  let isSent = false;
  const broadcast = sendToAll(world, DEVICES, () => void (isSent = true));
  const calls: Promise<unknown>[] = [];
  // The recipients are being determined.
  await delay(EVERY_MS);
  while (!isSent && started.length < PHONES) {
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
