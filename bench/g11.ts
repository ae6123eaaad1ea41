import { startSimulators } from '@tidings/simulators';
import { type Figure, median, percentile } from './lib/figure.ts';
import { openWorld } from './lib/world.ts';

const MESSAGES = 200;
const WARM_UP = 20;
const TIMEOUT_MS = 20_000;

/** G11: from the request of createMessage to one device until its push is on the provider's wire, in an idle embedded system. */
export async function measure(): Promise<Figure> {
  const simulators = await startSimulators({ control: false });
  const world = await openWorld(simulators);
  try {
    const { client, application } = world;
    const token = 'latency:APA91bExampleOfATokenThatIsAsLongAsRealOnesAre';
    await client.call('registerDevice', {
      application,
      hwid: 'phone',
      device_type: 3,
      push_token: token,
      language: 'en',
    });
    const ledger = simulators.ledger.of('fcm');
    const arrival = async (count: number): Promise<number> => {
      const deadline = performance.now() + TIMEOUT_MS;
      for (;;) {
        if (performance.now() > deadline) throw new Error(`message ${count} is not on the wire after ${TIMEOUT_MS} ms`);
        const [entry] = ledger.entries({ token, limit: 1, offset: count });
        if (entry) return entry.at;
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    };
    const latencies: number[] = [];
    for (let i = 0; i < MESSAGES + WARM_UP; i++) {
      const started = Date.now();
      await client.call('createMessage', {
        application,
        notifications: [{ content: `Hello ${i}`, devices: ['phone'] }],
      });
      const ms = (await arrival(i)) - started;
      if (i >= WARM_UP) latencies.push(ms);
    }
    return {
      id: 'G11',
      title: 'createMessage to one device until it is on the wire',
      measures: [
        {
          title: 'p99',
          value: percentile(latencies, 0.99),
          unit: 'ms',
          floor: { most: 250 },
          goal: { most: 30 },
          spread: [percentile(latencies, 0.01), Math.max(...latencies)],
          details: { median: `${median(latencies)} ms` },
        },
      ],
    };
  } finally {
    await world.stop();
    await simulators.close();
  }
}
