import { setTimeout as delay } from 'node:timers/promises';
import { type Simulators, startSimulators } from '@tidings/simulators';
import { type Figure, format, type Measure, median, percentile } from './lib/figure.ts';
import { inEachMode, type World } from './lib/world.ts';

const MESSAGES = 200;
const WARM_UP = 20;
const TIMEOUT_MS = 20_000;
const BOUNDS = {
  embedded: { floor: { most: 250 }, goal: { most: 30 } },
  distributed: { floor: { most: 400 } },
};

export async function measure(): Promise<Figure> {
  const simulators = await startSimulators({ control: false });
  try {
    const measures = await inEachMode(simulators, async (world) => [await measureIn(world, simulators)]);
    return { id: 'G11', title: 'createMessage to one device until it is on the wire, p99', measures };
  } finally {
    await simulators.close();
  }
}

async function measureIn({ mode, client, application }: World, simulators: Simulators): Promise<Measure> {
  const token = `${mode}:APA91bExampleOfATokenThatIsAsLongAsRealOnesAre`;
  const phone = { hwid: 'phone', device_type: 3, push_token: token, language: 'en' };
  await client.call('registerDevice', { application, ...phone });
  const latencies: number[] = [];
  for (let i = 0; i < MESSAGES + WARM_UP; i++) {
    const started = Date.now();
    const notifications = [{ content: `Hello ${i}`, devices: ['phone'] }];
    await client.call('createMessage', { application, notifications });
    const ms = (await arrivalAt(simulators, token, i)) - started;
    if (i >= WARM_UP) latencies.push(ms);
  }
  return {
    title: mode,
    value: percentile(latencies, 0.99),
    unit: 'ms',
    ...BOUNDS[mode],
    spread: [percentile(latencies, 0.01), Math.max(...latencies)],
    details: { median: `${format(median(latencies))} ms` },
  };
}

async function arrivalAt(simulators: Simulators, token: string, message: number): Promise<number> {
  const ledger = simulators.ledger.of('fcm');
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    const [entry] = ledger.entries({ token, limit: 1, offset: message });
    if (entry) return entry.at;
    if (performance.now() > deadline) throw new Error(`message ${message} is not on the wire after ${TIMEOUT_MS} ms`);
    await delay(1);
  }
}
