import { Get, Inject, Param, Query, UseGuards } from '@nestjs/common';
import { ApiController } from '../http/api-controller.ts';
import { publicTopics, shownAs, shownRecord, subscriberTopic } from '@tidings/events';
import { Fault, randomBase62 } from '@tidings/kernel';
import { WebhookRequest } from '@tidings/rpc';
import type { Broker, InRecord, Subscription } from '@tidings/streaming';
import type { Context } from '../context.ts';
import { type Reply, TOO_MANY } from '../envelopes/reply.ts';
import { CONTEXT } from '../injection-tokens.ts';
import { AdministratorGuard } from '../http/administrator.guard.ts';

/** Simultaneous taps of a gateway. */
const MAX_TAPS = 10;
/** Batches that wait for a slow reader, of at most {@link MAX_RECORDS} each; further ones stay in the topic. */
const MAX_WAITING = 8;
const MAX_RECORDS = 500;
/** Longer than a reader needs for a batch, and shorter than a handler may take. */
const ROOM_MS = 2_000;
/** Interval of empty lines, which show readers and proxies that the stream lives, and detect that the reader has gone. */
const HEARTBEAT_MS = 2_000;
const RETRY_AFTER_SECONDS = 60;

const KAFKA = 'kafka://';

const starts = ['latest', 'earliest'] as const;
type Start = (typeof starts)[number];

/** A record as JSON; undefined if it cannot be decoded. */
type Shown = (payload: Uint8Array) => unknown;

/** `/admin/v1/tap/{topic}`: the records of a public topic, or of a subscriber's, as they are published, one JSON object a line, for operators. */
@ApiController()
@UseGuards(AdministratorGuard)
export class TapController {
  readonly #context: Context;
  #taps = 0;

  constructor(@Inject(CONTEXT) context: Context) {
    this.#context = context;
  }

  @Get('admin/v1/tap/:topic')
  async tap(@Param('topic') topic: string, @Query('from') from = 'latest'): Promise<Reply> {
    if (!starts.some((start) => start === from)) throw Fault.argument(`from: must be one of ${starts.join(', ')}`);
    if (this.#taps >= MAX_TAPS) throw Fault.throttled(TOO_MANY, RETRY_AFTER_SECONDS);
    const bytes = this.#lines(topic, from as Start, await this.#shownOf(topic));
    return { status: 200, body: '', stream: { type: 'application/x-ndjson', length: undefined, bytes } };
  }

  /** How the records of a topic are shown. @throws Fault `notFound` unless it is public, or the endpoint of a subscription */
  async #shownOf(topic: string): Promise<Shown> {
    if (publicTopics.includes(topic)) return (payload) => shownRecord(topic, payload);
    const { broker, subscriptions } = this.#context;
    const all = (await subscriptions.list({})).subscriptions;
    if (!all.some(({ settings }) => settings?.endpoint.replace(/^kafka:\/\//i, KAFKA) === `${KAFKA}${topic}`)) {
      throw Fault.notFound(
        `There is no public topic of this name, and no subscription to ${KAFKA}${topic}; public are ${publicTopics.join(', ')}`,
      );
    }
    // A process knows the topics that it has added; one without events yet is made here.
    await broker.addTopic(subscriberTopic(topic));
    return (payload) => shownAs(WebhookRequest, payload);
  }

  async *#lines(topic: string, from: Start, shown: Shown): AsyncIterable<Uint8Array> {
    this.#taps++;
    try {
      for await (const records of recordsOf(this.#context.broker, topic, from)) {
        yield Buffer.from(records.length === 0 ? '\n' : records.map((record) => lineOf(record, shown)).join(''));
      }
    } finally {
      this.#taps--;
    }
  }
}

const lineOf = ({ partition, offset, key, timestamp, value }: InRecord, shown: Shown): string => {
  const record = shown(value);
  const undecoded = record === undefined ? { payload: Buffer.from(value).toString('base64') } : { record };
  return `${JSON.stringify({ partition, offset, key, published_at: new Date(timestamp).toISOString(), ...undecoded })}\n`;
};

/** The records of a topic in batches, and an empty one when there was none for a while. Ends when the caller returns. */
async function* recordsOf(
  broker: Pick<Broker, 'subscribe'>,
  topic: string,
  from: Start,
): AsyncIterable<readonly InRecord[]> {
  const waiting: (readonly InRecord[])[] = [];
  let arrived = Promise.withResolvers<void>();
  let taken = Promise.withResolvers<void>();
  const subscribing: Promise<Subscription> = broker.subscribe({
    group: `tidings.tap.${randomBase62(12)}`,
    topics: [topic],
    from,
    maxRecords: MAX_RECORDS,
    ephemeral: true,
    async handler({ records }) {
      if (waiting.length >= MAX_WAITING) await within(ROOM_MS, taken.promise);
      if (waiting.length >= MAX_WAITING) return 0;
      waiting.push(records);
      arrived.resolve();
      return records.length;
    },
  });
  try {
    for (;;) {
      const batch = waiting.shift();
      if (batch) {
        taken.resolve();
        taken = Promise.withResolvers();
        yield batch;
      } else {
        arrived = Promise.withResolvers();
        // A failure to subscribe ends the stream.
        await Promise.race([subscribing.then(() => arrived.promise), within(HEARTBEAT_MS, arrived.promise)]);
        if (waiting.length === 0) yield [];
      }
    }
  } finally {
    await (await subscribing).stop();
  }
}

/** Resolves with the promise, at the latest after a time. */
async function within(ms: number, promise: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  await Promise.race([promise, late]);
  clearTimeout(timer);
}
