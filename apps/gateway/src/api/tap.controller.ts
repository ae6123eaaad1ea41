import { Get, Inject, Param, Query, UseGuards } from '@nestjs/common';
import { ApiController } from '../http/api-controller.ts';
import { isJsonEvent } from '@tidings/contract';
import { publicTopics, shownAs, shownRecord, subscriberTopic } from '@tidings/events';
import { Fault, randomBase62 } from '@tidings/kernel';
import { WebhookRequest } from '@tidings/rpc';
import type { Broker, InRecord, Subscription } from '@tidings/streaming';
import type { Context } from '../context.ts';
import { type Reply, TOO_MANY } from '../envelopes/reply.ts';
import { CONTEXT } from '../injection-tokens.ts';
import { AdministratorGuard } from '../http/administrator.guard.ts';

const MAX_TAPS = 10;
const MAX_WAITING = 8;
const MAX_RECORDS = 500;
const ROOM_MS = 2_000;
/** Empty lines detect that the reader has gone. */
const HEARTBEAT_MS = 2_000;
const RETRY_AFTER_SECONDS = 60;

const KAFKA = 'kafka://';

const starts = ['latest', 'earliest'] as const;
type Start = (typeof starts)[number];

type Shown = (record: Pick<InRecord, 'value' | 'headers'>) => unknown;

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

  async #shownOf(topic: string): Promise<Shown> {
    if (publicTopics.includes(topic)) return ({ value }) => shownRecord(topic, value);
    const { broker, subscriptions } = this.#context;
    const all = (await subscriptions.list({})).subscriptions;
    if (!all.some(({ settings }) => settings?.endpoint.replace(/^kafka:\/\//i, KAFKA) === `${KAFKA}${topic}`)) {
      throw Fault.notFound(
        `There is no public topic of this name, and no subscription to ${KAFKA}${topic}; public are ${publicTopics.join(', ')}`,
      );
    }
    await broker.addTopic(subscriberTopic(topic));
    return ({ value, headers }) => (isJsonEvent(headers) ? jsonIn(value) : shownAs(WebhookRequest, value));
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

function jsonIn(value: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(value).toString());
  } catch {
    return undefined;
  }
}

const lineOf = ({ partition, offset, key, timestamp, value, headers }: InRecord, shown: Shown): string => {
  const record = shown({ value, headers });
  const undecoded = record === undefined ? { payload: Buffer.from(value).toString('base64') } : { record };
  return `${JSON.stringify({ partition, offset, key, published_at: new Date(timestamp).toISOString(), ...undecoded })}\n`;
};

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
        await Promise.race([subscribing.then(() => arrived.promise), within(HEARTBEAT_MS, arrived.promise)]);
        if (waiting.length === 0) yield [];
      }
    }
  } finally {
    await (await subscribing).stop();
  }
}

async function within(ms: number, promise: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  await Promise.race([promise, late]);
  clearTimeout(timer);
}
