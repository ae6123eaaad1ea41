import { hourOf, messageChunkKey, noMailColumns } from '@tidings/delivery';
import {
  Content,
  type EventFormat,
  MessageAccepted,
  MessageEvent,
  ReportKind,
  Reports,
  topicNames,
  SliceOutcome,
} from '@tidings/events';
import { Bitmap, chunkOf, newMessageCode, Platform, positionOf, randomBase62 } from '@tidings/kernel';
import { DeviceDescription, type DescribeRequest, type Devices, type SentValues, TokenView } from '@tidings/rpc';
import { Closing, type Logger, openLog, openMetrics, keysFrom } from '@tidings/runtime';
import type { EmbeddedBroker } from '@tidings/streaming';
import { type TestMongo, testBroker, until } from '@tidings/testing';
import type { Db } from 'mongodb';
import { openWebhooks, type WebhooksDeps, type WebhooksService } from '../webhooks.ts';
import { SettableClock } from './settable-clock.ts';
import { type HttpSubscriber, startHttpSubscriber, startSubscriber, type Subscriber } from './test-subscriber.ts';

export const ACCOUNT = 'default';
export const APPLICATION = 'AAAAA-BBBBB';

const reportKinds = {
  delivered: ReportKind.REPORT_KIND_DELIVERED,
  opened: ReportKind.REPORT_KIND_OPENED,
  followed: ReportKind.REPORT_KIND_MAIL_CLICKED,
};

/** `hwid-<seq>`; even numbers have a user id. */
const describe: Devices['describe'] = async ({ seqs, tags }: DescribeRequest) => ({
  devices: seqs.map((seq) =>
    DeviceDescription.fromPartial({
      found: seq < 1_000_000,
      hwid: `hwid-${seq}`,
      userId: seq % 2 === 0 ? `user-${seq}` : `hwid-${seq}`,
      language: 'en',
      token: `token-${seq}`,
      check: seq,
      values: tags.map((tag) => `${tag} of ${seq}`),
    }),
  ),
  applicationTitle: 'News',
  mailFrom: 'news@shop.example',
  badges: [],
});

interface SubscriptionFields {
  readonly endpoint: string;
  readonly format: EventFormat;
  readonly events: string[];
  readonly applications: string[];
  readonly platforms: number[];
  readonly messageCodes: string[];
  readonly campaigns: { readonly code: string; readonly id: string }[];
  readonly enabled: boolean;
}

export class World {
  readonly clock = new SettableClock();
  readonly log: Logger = openLog('error');
  readonly closing = new Closing(this.log);
  readonly db: Db;
  readonly #logDb: Db;
  broker!: EmbeddedBroker;
  metrics = openMetrics();
  readonly tokens = new Map([
    ['secret', TokenView.fromPartial({ id: 'token', account: ACCOUNT, allApplications: true })],
  ]);
  readonly requests: { readonly keep: unknown[]; readonly erase: unknown[] } = { keep: [], erase: [] };
  readonly sentValues: SentValues = {
    keep: async ({ of }) => (this.requests.keep.push(...of), {}),
    find: async () => ({ found: [] }),
    erase: async ({ devices }) => (this.requests.erase.push(...devices), {}),
  };
  readonly described: DescribeRequest[] = [];

  constructor(mongo: Pick<TestMongo, 'database'>) {
    const name = randomBase62(8);
    this.db = mongo.database(name);
    this.#logDb = mongo.database(`${name}_log`);
  }

  async open(): Promise<this> {
    this.broker = await testBroker({ db: this.#logDb, clock: this.clock });
    this.closing.add('broker', this.broker, (broker) => broker.close());
    return this;
  }

  close(): Promise<void> {
    return this.closing.close();
  }

  async webhooks(fields: Partial<WebhooksDeps> = {}): Promise<WebhooksService> {
    this.metrics = openMetrics();
    const service = await openWebhooks({
      clock: this.clock,
      log: this.log,
      db: this.db,
      broker: this.broker,
      metrics: this.metrics,
      keys: keysFrom(new Uint8Array(32)),
      allowPrivate: ['127.0.0.0/8'],
      tokens: { resolveToken: async ({ secret }) => ({ token: this.tokens.get(secret) }) },
      applications: { findApplication: async () => ({ application: undefined }) },
      sentValues: this.sentValues,
      events: { host: '127.0.0.1', port: 0 },
      devices: {
        describe: (request) => {
          this.described.push(request);
          return describe(request);
        },
      },
      ...fields,
    });
    return this.closing.add('webhooks', service, (opened) => opened.close());
  }

  async subscriber(options?: Parameters<typeof startSubscriber>[0]): Promise<Subscriber> {
    return this.closing.add('subscriber', await startSubscriber(options), (opened) => opened.down());
  }

  async httpSubscriber(options?: Parameters<typeof startHttpSubscriber>[0]): Promise<HttpSubscriber> {
    return this.closing.add('subscriber', await startHttpSubscriber(options), (opened) => opened.down());
  }

  async subscribe(
    { subscriptions }: WebhooksService,
    { endpoint }: Pick<Subscriber, 'endpoint'>,
    fields: Partial<SubscriptionFields> = {},
  ): Promise<string> {
    const { id } = await subscriptions.create({
      account: '',
      settings: {
        endpoint,
        events: ['Push Sent', 'Push Delivered', 'Push Opened'],
        enabled: true,
        applications: [],
        platforms: [],
        messageCodes: [],
        campaigns: [],
        ...fields,
      },
    });
    return id;
  }

  async message(fields: Partial<MessageAccepted> = {}): Promise<string> {
    const code = newMessageCode(0);
    const accepted = MessageAccepted.fromPartial({
      applications: [APPLICATION],
      content: Content.fromPartial({ text: { entries: [{ language: 'default', text: 'Hello' }] } }),
      ...(fields as object),
    });
    const event = MessageEvent.fromPartial({
      code,
      id: 7n,
      account: ACCOUNT,
      at: new Date(this.clock.now()),
      event: { $case: 'accepted', value: accepted },
    });
    await this.#publish(topicNames.messages, code, MessageEvent.encode(event).finish());
    return code;
  }

  async purged(code: string): Promise<void> {
    const event = MessageEvent.fromPartial({
      code,
      id: 7n,
      account: ACCOUNT,
      at: new Date(this.clock.now()),
      event: { $case: 'purged', value: { application: APPLICATION, whole: true } },
    });
    await this.#publish(topicNames.messages, code, MessageEvent.encode(event).finish());
  }

  async sent(message: string, seqs: readonly number[], platform: number = Platform.iOS): Promise<void> {
    const at = new Date(this.clock.now());
    for (let number = 0; number * 500 < seqs.length; number++) {
      const part = seqs.slice(number * 500, (number + 1) * 500);
      const chunk = chunkOf(part[0]!);
      const set = Buffer.from(Bitmap.of(part.map(positionOf)).encode());
      const outcome = SliceOutcome.fromPartial({
        message,
        messageId: 7n,
        account: ACCOUNT,
        application: APPLICATION,
        bucket: 0,
        chunk,
        platform,
        variant: 'alert',
        number,
        at,
        outcome: { $case: 'settled', value: { sent: [{ platform, hour: hourOf(at), set }], claimedAt: at } },
      });
      await this.#publish(topicNames.outcomes, messageChunkKey(outcome), SliceOutcome.encode(outcome).finish());
    }
  }

  async report(kind: keyof typeof reportKinds, message: string, seqs: readonly number[], url = ''): Promise<void> {
    const chunk = chunkOf(seqs[0]!);
    const reports: Reports = {
      message,
      messageId: 7n,
      account: ACCOUNT,
      application: APPLICATION,
      chunk,
      kind: reportKinds[kind],
      positions: seqs.map(positionOf),
      platforms: seqs.map(() => (kind === 'followed' ? Platform.Email : Platform.iOS)),
      at: seqs.map(() => Math.floor(this.clock.now() / 1000)),
      entry: undefined,
      ...noMailColumns,
      details: seqs.flatMap(() => (kind === 'followed' ? [url] : [])),
    };
    const topic = kind === 'followed' ? topicNames.clicks : topicNames.reports;
    await this.#publish(topic, messageChunkKey(reports), Reports.encode(reports).finish());
  }

  async settle(...services: readonly WebhooksService[]): Promise<void> {
    await until(async () => {
      for (const { operations } of services) if ((await operations.settled({})).open.length > 0) return false;
      return true;
    });
  }

  async #publish(topic: string, key: string, value: Uint8Array): Promise<void> {
    await this.broker.publish(topic, [{ key, value }]);
  }
}

export const seqsUpTo = (count: number): number[] => Array.from({ length: count }, (_, seq) => seq);
