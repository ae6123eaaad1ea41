import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { programOf } from '@tidings/cli';
import { apnsToken, fcmToken } from '@tidings/simulators';
import type { ReplyOf } from '@tidings/client';
import {
  describeWhere,
  everythingOn,
  modeUnderTest,
  platform,
  retryUntilAnswered,
  type StoredWorld,
} from '@tidings/testing';

const DEVICES = 240;
const EVENTS = ['Push Sent', 'Push Delivered', 'Push Opened', 'Push Failed'];
const TOPIC = `examples-${randomUUID()}`;
const JSON_TOPIC = `examples-json-${randomUUID()}`;
const examples = join(import.meta.dirname, '..', '..', '..', '..', 'examples');

/** The examples install their packages on first use. */
function hasPython(): boolean {
  const { status, stderr, error } = spawnSync(join(examples, 'python', 'setup.sh'), { encoding: 'utf8' });
  if (status !== 0) process.stderr.write(`The examples in Python are skipped: ${error?.message ?? stderr}\n`);
  return status === 0;
}

const tokenOf = (n: number): string => (n % 2 === 0 ? apnsToken : fcmToken)(n % 8 < 2 ? 'dead' : 'accepted', n);

type Program = readonly string[];
const typescript = (name: string): Program => [process.execPath, join(examples, 'typescript', `${name}.ts`)];
const python = (name: string): Program => [
  join(examples, 'python', '.venv', 'bin', 'python'),
  join(examples, 'python', `${name}.py`),
];

type Funnel = ReplyOf<'getDeliveryFunnel'>;

function figuresOf({ channels }: Funnel): Readonly<Record<string, number>> {
  const sum = (counts: readonly (string | undefined)[]): number =>
    counts.reduce((total, count) => total + Number(count ?? 0), 0);
  const stage = (name: string): number =>
    sum(channels.flatMap(({ funnel }) => funnel.filter((each) => each.stage === name).map(({ count }) => count)));
  return {
    'Push Sent': stage('STAGE_SENT'),
    'Push Delivered': sum(channels.map(({ confirmed_deliveries: { count } }) => count)),
    'Push Opened': stage('STAGE_OPENED'),
    'Push Failed': stage('STAGE_ERRORS'),
  };
}

describe('the examples', () => {
  let world: StoredWorld;
  let folder: string;
  let message: string;
  let funnel: Readonly<Record<string, number>>;
  const subscriptions: string[] = [];
  let jsonSubscription = '';
  const running: ChildProcess[] = [];

  function run([command, ...file]: Program, ...parameters: readonly string[]) {
    const child = spawn(command!, [...file, ...parameters], { stdio: ['ignore', 'pipe', 'pipe'] });
    running.push(child);
    let output = '';
    let errors = '';
    child.stdout.on('data', (text) => (output += text));
    child.stderr.on('data', (text) => (errors += text));
    const ended = once(child, 'close');
    const untilOutput = (text: string): Promise<void> =>
      new Promise((resolve) => {
        const look = (): void => void (errors.includes(text) && resolve());
        child.stderr.on('data', look);
        child.on('close', () => resolve());
        look();
      });
    const printed = async (): Promise<unknown> => {
      await ended;
      if (output === '') throw new Error(`${file.join(' ')} printed nothing: ${errors}`);
      return JSON.parse(output) as unknown;
    };
    return { child, untilOutput, ended, printed };
  }

  beforeAll(async () => {
    world = await platform();
    folder = await mkdtemp(join(tmpdir(), 'tidings-examples-'));
    const endpoints = [undefined, undefined, ...(world.kafka ? [`kafka://${TOPIC}`] : [])];
    for (const endpoint of endpoints) {
      subscriptions.push((await world.call('createSubscription', { endpoint, events: EVENTS })).id);
    }
    if (world.kafka) {
      const endpoint = `kafka://${JSON_TOPIC}`;
      const created = await world.call('createSubscription', { endpoint, format: 'json', events: EVENTS });
      jsonSubscription = created.id;
      expect(await world.call('getSubscription', { id: jsonSubscription })).toMatchObject({ format: 'json' });
    }
    const application = await world.application();
    await world.registerDevices(application, DEVICES, (n) => ({
      hwid: `device-${n}`,
      device_type: n % 2 === 0 ? 1 : 3,
      push_token: tokenOf(n),
    }));
    const notifications = [{ content: 'Count me', transactionId: randomUUID() }];
    const { Messages } = await retryUntilAnswered(() => world.call('createMessage', { application, notifications }));
    message = Messages[0]!;
    await world.settle();
    const hashOf = (n: number): string =>
      world.simulators.ledger.of(n % 2 === 0 ? 'apns' : 'fcm').entries({ token: tokenOf(n), limit: Infinity })[0]!.hash;
    const report = (method: 'messageDeliveryEvent' | 'pushStat', n: number) =>
      world.call(method, { application, hwid: `device-${n}`, hash: hashOf(n) });
    for (const n of [2, 3, 4, 5]) await report('messageDeliveryEvent', n);
    for (const n of [4, 5, 6]) await report('pushStat', n);
    await world.settle();
    funnel = figuresOf(await world.call('getDeliveryFunnel', { message_code: message }));
  });
  afterAll(async () => {
    for (const child of running) child.kill('SIGKILL');
    await world?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  // The embedded mode has no Kafka for other programs.
  const itWithKafka = modeUnderTest === 'distributed' ? it : undefined;

  const counting = (kafka: Program, grpc: Program): void => {
    itWithKafka?.('count the figures of the funnel from a topic, also after a kill', async () => {
      const { brokers, namespace } = world.kafka!;
      const parameters = [brokers, `${namespace}${TOPIC}`, message];
      const first = run(kafka, ...parameters);
      await first.untilOutput(' events');
      first.child.kill('SIGKILL');
      await first.ended;
      expect(await run(kafka, ...parameters).printed()).toEqual(funnel);
    });

    it('count the figures of the funnel from a dialled stream, also after a kill', async () => {
      const parameters = [
        ...[`127.0.0.1:${world.eventsPort}`, world.secrets.api, subscriptions.shift()!],
        ...[message, join(folder, randomUUID())],
      ];
      const first = run(grpc, ...parameters);
      await first.untilOutput(' events');
      first.child.kill('SIGKILL');
      await first.ended;
      const second = run(grpc, ...parameters);
      await second.untilOutput('accepted');
      // A late answer would come after the advance; what was in flight is sent again after a second.
      await world.settle();
      await world.advance(120);
      await world.settle();
      second.child.kill('SIGTERM');
      expect(await second.printed()).toEqual(funnel);
    });
  };

  describe('the examples in TypeScript', () => {
    counting(typescript('count-kafka'), typescript('count-grpc'));

    itWithKafka?.('have CloudEvents with JSON data, which `tidings tap` prints as they are (R-EV8)', async () => {
      const { brokers, namespace } = world.kafka!;
      const records = await everythingOn({ kafkaBrokers: brokers }, JSON_TOPIC, namespace);
      expect(records.length).toBeGreaterThan(DEVICES);
      for (const { key, headers, value } of records) {
        const data = JSON.parse(Buffer.from(value).toString()) as Record<string, string>;
        expect(key).toBe(`${data['application_code']}/${data['hwid']}`);
        expect(headers).toMatchObject({
          'content-type': 'application/json',
          ce_specversion: '1.0',
          ce_id: data['id'],
          ce_source: `/applications/${data['application_code']}`,
          ce_type: `tidings.${data['event']!.replace('_', '.')}`,
          ce_subject: message,
          ce_time: data['time'],
          subscription: jsonSubscription,
        });
      }
      let printed = '';
      const operator = ['--url', world.url, '--admin-token', world.secrets.admin];
      const words = ['tap', JSON_TOPIC, '--from', 'earliest', '--limit', '1', '--key', 'device-3'];
      await programOf((text) => (printed += text)).parseAsync([...operator, ...words], { from: 'user' });
      expect(printed).toMatch(/\/device-3\d* \{"id":"/);
    });

    itWithKafka?.('count the figures of the funnel from a topic of CloudEvents, by their headers (R-EV8)', async () => {
      const { brokers, namespace } = world.kafka!;
      const counts = await run(typescript('count-json'), brokers, `${namespace}${JSON_TOPIC}`, message).printed();
      const words = Object.entries(funnel).map(([name, count]) => [name.toLowerCase().replace(' ', '_'), count]);
      expect(counts).toEqual(Object.fromEntries(words));
    });
  });
  describeWhere(hasPython())('the examples in Python', () => counting(python('count_kafka'), python('count_grpc')));
});
