import { setTimeout as delay } from 'node:timers/promises';
import { Client, credentials } from '@grpc/grpc-js';
import { hourOf, messageChunkKey } from '@tidings/delivery';
import { Content, MessageAccepted, MessageEvent, SliceOutcome, topicNames } from '@tidings/events';
import { Bitmap, CHUNK_SIZE, newMessageCode, Platform } from '@tidings/kernel';
import { ChangeSubscriptionRequest, DeviceDescription, TokenView, WebhookRequest, WebhookResponse } from '@tidings/rpc';
import { startSubscriber } from '@tidings/simulators';
import { openWebhooks } from '@tidings/webhooks';
import { publishAll } from '../lib/broadcast.ts';
import { type Parts, total, usedBy } from '../lib/parts.ts';
import { untilSteady } from '../lib/rounds.ts';
import { openDeps } from '../lib/service-deps.ts';

/** G9's two senders in turn, to the same subscriber. Its arguments: the subscriber's port, events in a round. Prints {@link StreamRounds}. */
const { args, client, deps, cpu, caughtUp, finish } = await openDeps();
const [port, count] = args;
const { broker } = deps;

/** CPU microseconds per event, and events per second, by round. */
export interface StreamRounds {
  readonly streamed: Parts[];
  readonly bare: Parts[];
  readonly rates: number[];
  readonly bytes: number;
}

const WARM_UP = 2;
const EVENTS = Number(count);
/** R-EV5. */
const WINDOW = 1_000;
const SLICE_SIZE = 500;
const POLL_MS = 10;
const GIVE_UP_MS = 120_000;

const ACCOUNT = 'default';
const APPLICATION = 'A1B2C-3D4E5';
const endpoint = `grpc://127.0.0.1:${port}`;

const service = await openWebhooks({
  ...deps,
  db: client.db('webhooks'),
  events: { host: '127.0.0.1', port: 0 },
  allowPrivate: ['127.0.0.0/8'],
  tokens: { resolveToken: async () => ({ token: TokenView.fromPartial({ account: ACCOUNT, allApplications: true }) }) },
  applications: { findApplication: async () => ({ application: undefined }) },
  // In place of the registry, whose CPU is not measured.
  devices: {
    describe: async ({ seqs, tags }) => ({
      devices: seqs.map((seq) =>
        DeviceDescription.fromPartial({
          found: true,
          hwid: `device-${seq}`,
          userId: `user-${seq}`,
          language: 'en',
          check: seq,
          token: `token-${seq}`.padEnd(140, 'x'),
          values: tags.map(() => `anna${seq}`),
        }),
      ),
      applicationTitle: 'News',
      mailFrom: '',
      badges: [],
    }),
  },
  // In place of dispatchers, which have kept nothing.
  sentValues: { keep: async () => ({}), find: async () => ({ found: [] }), erase: async () => ({}) },
});

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + GIVE_UP_MS; !(await condition()); await delay(POLL_MS))
    if (performance.now() > end) throw new Error('events are missing');
}

async function acked(): Promise<number> {
  const { values } = await deps.metrics.getSingleMetric('tidings_webhooks_events_total')!.get();
  return values.find(({ labels }) => labels['end'] === 'acked')?.value ?? 0;
}

async function sendTo(devices: number): Promise<void> {
  const [message, at] = [newMessageCode(0), new Date()];
  const identity = { message, messageId: BigInt(Date.now()), account: ACCOUNT, application: APPLICATION };
  const text = (value: string) => ({ entries: [{ language: 'default', text: value }] });
  const content = Content.fromPartial({
    title: text('News'),
    text: text('Dear {{Name|CapitalizeFirst|friend}}, your order has arrived.'),
    tags: ['Name'],
  });
  const value = MessageAccepted.fromPartial({ applications: [APPLICATION], content });
  const accepted = MessageEvent.fromPartial({
    code: message,
    id: identity.messageId,
    account: ACCOUNT,
    at,
    event: { $case: 'accepted', value },
  });
  await broker.publish(topicNames.messages, [{ key: message, value: MessageEvent.encode(accepted).finish() }]);
  // A fact about an unknown message raises no event.
  await caughtUp('webhooks');
  const outcomes = Array.from({ length: Math.ceil(devices / SLICE_SIZE) }, (_, slice) => {
    const first = slice * SLICE_SIZE;
    const positions = Array.from({ length: Math.min(SLICE_SIZE, devices - first) }, (_, i) => (first + i) % CHUNK_SIZE);
    const sent = { platform: Platform.iOS, hour: hourOf(at), set: Buffer.from(Bitmap.of(positions).encode()) };
    const outcome = SliceOutcome.fromPartial({
      ...identity,
      bucket: 0,
      chunk: 0,
      platform: Platform.iOS,
      variant: 'alert',
      number: slice,
      at,
      outcome: { $case: 'settled', value: { sent: [sent], claimedAt: at } },
    });
    return { key: messageChunkKey(outcome), value: SliceOutcome.encode(outcome).finish() };
  });
  await publishAll(broker, topicNames.outcomes, outcomes);
}

/** From reading facts to stored progress. */
async function streamed(events: number): Promise<void> {
  const expected = (await acked()) + events;
  await sendTo(events);
  await until(async () => (await acked()) >= expected);
}

/** At most {@link WINDOW} unacknowledged. */
async function bare(event: WebhookRequest, events: number): Promise<void> {
  const own = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  const stream = own.makeBidiStreamRequest<WebhookRequest, WebhookResponse>(
    '/WebhookService/StreamWebhookEvents',
    (value) => Buffer.from(WebhookRequest.encode(value).finish()),
    (bytes) => WebhookResponse.decode(bytes),
  );
  const done = Promise.withResolvers<void>();
  let [sent, answered] = [0, 0];
  const fill = (): void => {
    while (sent < events && sent - answered < WINDOW) {
      sent++;
      if (!stream.write(event)) return;
    }
  };
  stream.on('drain', fill);
  stream.on('error', done.reject);
  stream.on('data', () => {
    if (++answered === events) done.resolve();
    else if (!stream.writableNeedDrain) fill();
  });
  fill();
  await done.promise;
  stream.end();
  own.close();
}

async function subscribe(): Promise<WebhookRequest> {
  const first = await startSubscriber();
  const { id } = await service.subscriptions.create({
    account: ACCOUNT,
    settings: {
      endpoint: first.endpoint,
      events: ['Push Sent'],
      enabled: true,
      applications: [],
      platforms: [],
      messageCodes: [],
      campaigns: [],
    },
  });
  await streamed(1);
  const [{ stream: _, nth: __, answer: ___, ...event }] = first.received as [(typeof first.received)[number]];
  await service.subscriptions.change(ChangeSubscriptionRequest.fromPartial({ id, endpoint }));
  first.down();
  return event;
}

const event = await subscribe();
async function round() {
  const alone = await usedBy(cpu, EVENTS, () => bare(event, EVENTS));
  const startedAt = performance.now();
  const own = await usedBy(cpu, EVENTS, () => streamed(EVENTS));
  return { alone, own, rate: (EVENTS / (performance.now() - startedAt)) * 1000 };
}
for (let i = 0; i < WARM_UP; i++) await round();
const rounds = await untilSteady(round, ({ alone, own }) => total(alone) / total(own));
await service.close();
await finish({
  streamed: rounds.map(({ own }) => own),
  bare: rounds.map(({ alone }) => alone),
  rates: rounds.map(({ rate }) => rate),
  bytes: WebhookRequest.encode(event).finish().length,
} satisfies StreamRounds);
