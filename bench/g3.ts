import { type Figure, median, spreadOf } from './lib/figure.ts';
import { startProgram } from './lib/processes.ts';
import { openWorld, startProviders, type World } from './lib/world.ts';

const ROUNDS = 5;
const DEVICES = 40_000;
const AT_ONCE = 256;

const languages = ['en', 'de', 'fr', 'es'];
const message = {
  title: { en: 'Hello {{Name|CapitalizeFirst|friend}}', de: 'Hallo {{Name|CapitalizeFirst|Freund}}' },
  content: {
    en: 'Dear {{Name|CapitalizeFirst|friend}}, your order from {{City|Uppercase|town}} has arrived at the pick-up point.',
    de: 'Liebe {{Name|CapitalizeFirst|Freund}}, Ihre Bestellung aus {{City|Uppercase|Stadt}} ist da.',
  },
  data: { campaign: 'ABCDE-12345', link: 'https://example.com/o/123456' },
  conditions: [['Level', 'GTE', 0]],
};

async function registerAll({ client, application }: World): Promise<void> {
  for (const [name, type] of [
    ['Name', 2],
    ['Level', 1],
  ] as const) {
    await client.call('addTag', { tag: { name, type } });
  }
  let next = 0;
  const register = async (): Promise<void> => {
    for (let i = next++; i < DEVICES; i = next++) {
      const ios = i % 2 === 0;
      await client.call('registerDevice', {
        application,
        hwid: `device-${i}`,
        device_type: ios ? 1 : 3,
        push_token: ios ? `a${i.toString(16).padStart(63, '0')}` : `token${i}:APA91b`.padEnd(140, 'x'),
        language: languages[i % 4],
        tags: { Name: `anna${i}`, City: `city${i % 100}`, Level: i % 50 },
      });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, register));
}

/** @throws when the newest message did not reach every device: a figure over failures says nothing. */
async function expectAllSent({ client, application }: World): Promise<void> {
  const listed = await client.call('messagesList', {
    filters: { application },
    params: { with_metrics: true },
    per_page: 1,
  });
  const metrics = listed.items[0]?.push_info?.metrics ?? [];
  const sent = metrics.reduce((sum, { sends }) => sum + sends, 0);
  if (sent !== DEVICES) throw new Error(`sent to ${sent} of ${DEVICES} devices: ${JSON.stringify(metrics)}`);
}

/**
 * G3: a personalised broadcast to iOS and Android, from createMessage to a settled funnel: scan, plan, batches, sending and outcomes
 * through the log, CPU of the platform and of MongoDB a push; against a loop over node:http2 that posts one fixed body.
 */
export async function measure(): Promise<Figure> {
  const providers = await startProviders();
  const world = await openWorld(providers);
  try {
    await registerAll(world);
    await world.settle();
    const ours = async (): Promise<{ readonly platform: number; readonly mongod: number; readonly rate: number }> => {
      const before = await world.cpu();
      const started = performance.now();
      await world.client.call('createMessage', { application: world.application, notifications: [message] });
      await world.settle();
      const seconds = (performance.now() - started) / 1000;
      const after = await world.cpu();
      await expectAllSent(world);
      return {
        platform: (after.platform - before.platform) / DEVICES,
        mongod: (after.mongod - before.mongod) / DEVICES,
        rate: DEVICES / seconds,
      };
    };
    const theirs = async (): Promise<number> => {
      const path = `/3/device/${'a'.repeat(64)}`;
      const headers = JSON.stringify({
        authorization: `bearer ${bareJwt()}`,
        'apns-topic': 'com.example.bench',
        'apns-push-type': 'alert',
        'apns-priority': '10',
      });
      const args = [providers.apnsUrl, path, headers, String(DEVICES)];
      const program = await startProgram<{ micros: number }>('bench/programs/baseline-http2.ts', args);
      return program.ready.micros;
    };
    await ours();
    const rounds: { readonly ours: Awaited<ReturnType<typeof ours>>; readonly theirs: number }[] = [];
    for (let i = 0; i < ROUNDS; i++) rounds.push({ theirs: await theirs(), ours: await ours() });
    const ratios = rounds.map((round) => round.theirs / (round.ours.platform + round.ours.mongod));
    const of = (pick: (round: (typeof rounds)[number]) => number): string => median(rounds.map(pick)).toFixed(1);
    return {
      id: 'G3',
      title: 'personalised broadcast, whole pipeline, vs bare node:http2 with a fixed body',
      measures: [
        {
          title: '',
          value: median(ratios),
          unit: 'x',
          floor: { least: 0.5 },
          goal: { least: 3 },
          spread: spreadOf(ratios),
          details: {
            ours: `${of((round) => round.ours.platform)} + mongod ${of((round) => round.ours.mongod)} µs`,
            bare: `${of((round) => round.theirs)} µs`,
            rate: `${of((round) => round.ours.rate)} pushes/s on the whole machine, stand-ins included`,
          },
        },
      ],
    };
  } finally {
    await world.stop();
    await providers.stop();
  }
}

/** Looks like a provider token; the stand-ins check its form and age. */
function bareJwt(): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const issued = Math.floor(Date.now() / 1000);
  return `${part({ alg: 'ES256', kid: 'ABC123DEFG' })}.${part({ iss: 'DEF123GHIJ', iat: issued })}.${'x'.repeat(86)}`;
}
