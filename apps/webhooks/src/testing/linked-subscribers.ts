import type { WebhooksService } from '../webhooks.ts';
import { type Consumer, dialIn } from './test-subscriber.ts';
import type { World } from './webhooks-world.ts';

export interface Receipt {
  readonly uuid: string;
  readonly name: string;
  readonly hwid: string;
  /** From 1: a kill ends a connection. */
  readonly connection: number;
  readonly isAcked: boolean;
}

type Arrival = Pick<Receipt, 'uuid' | 'name' | 'hwid'>;

interface Transport {
  readonly endpoint: string;
  up(subscription: string): Promise<void>;
  down(): void;
  slow(delayMs: number): void;
  read(on: boolean): void;
}

/** It may be killed, slow or silent, and keeps a ledger of all events. */
export class LinkedSubscriber {
  readonly receipts: Receipt[] = [];
  isSilent = false;
  subscription = '';
  transport!: Transport;
  #connection = 1;
  #killIn = Infinity;
  #killed = Promise.withResolvers<void>();

  readonly take = (arrivals: readonly Arrival[]): boolean => {
    this.#killIn -= arrivals.length;
    const dies = this.#killIn <= 0;
    const isAcked = !dies && !this.isSilent;
    this.receipts.push(...arrivals.map((arrival) => ({ ...arrival, connection: this.#connection, isAcked })));
    if (dies) this.#die();
    return isAcked;
  };

  killedAt(nth: number): Promise<void> {
    this.#killIn = nth;
    this.#killed = Promise.withResolvers();
    return this.#killed.promise;
  }

  revive(): Promise<void> {
    return this.transport.up(this.subscription);
  }

  acknowledged(): ReadonlySet<string> {
    return new Set(this.receipts.filter(({ isAcked }) => isAcked).map(({ uuid }) => uuid));
  }

  #die(): void {
    this.#killIn = Infinity;
    this.#connection++;
    this.transport.down();
    this.#killed.resolve();
  }
}

type Open = (world: World, webhooks: WebhooksService, take: LinkedSubscriber['take']) => Promise<Transport>;

const overGrpc: Open = async (world, _webhooks, take) => {
  const subscriber = await world.subscriber();
  subscriber.behaviour.answer = ({ uuid, eventName: name, hwid }) => (take([{ uuid, name, hwid }]) ? 'ok' : undefined);
  return {
    endpoint: subscriber.endpoint,
    up: () => subscriber.up(),
    down: () => subscriber.down(),
    slow: (delayMs) => void (subscriber.behaviour.delayMs = delayMs),
    read: (on) => subscriber.read(on),
  };
};

const overHttp: Open = async (world, _webhooks, take) => {
  const subscriber = await world.httpSubscriber();
  let isUp = true;
  subscriber.behaviour.answer = ({ events }) => {
    // A post that was read in the moment of the kill is lost with it.
    if (!isUp) return undefined;
    const arrivals = events.map(({ uuid, event_name: name, hwid }) => ({ uuid, name, hwid }));
    return take(arrivals) ? { status: 200 } : undefined;
  };
  return {
    endpoint: subscriber.endpoint,
    up: async () => {
      isUp = true;
      await subscriber.up();
    },
    down: () => {
      isUp = false;
      subscriber.down();
    },
    slow: (delayMs) => void (subscriber.behaviour.delayMs = 20 * delayMs),
    read: () => undefined,
  };
};

const byDialIn: Open = async (world, webhooks, take) => {
  let consumer: Consumer | undefined;
  return {
    endpoint: '',
    async up(subscription) {
      const dialled = await dialIn({
        address: `127.0.0.1:${webhooks.eventsPort}`,
        authorization: 'Token secret',
        subscription,
      });
      world.closing.add('consumer', dialled, (opened) => opened.kill());
      consumer = dialled;
      dialled.answer = ({ uuid, eventName: name, hwid }) =>
        dialled === consumer && take([{ uuid, name, hwid }]) ? 'ok' : undefined;
    },
    down() {
      consumer?.kill();
      consumer = undefined;
    },
    slow: (delayMs) => void (consumer!.delayMs = delayMs),
    read: (on) => consumer!.read(on),
  };
};

/** A topic has none: its broker answers. */
export const links = {
  'gRPC streams': overGrpc,
  'HTTP posts': overHttp,
  'streams that are dialled': byDialIn,
} as const;

export async function subscribeOver(
  link: keyof typeof links,
  world: World,
  webhooks: WebhooksService,
): Promise<LinkedSubscriber> {
  const subscriber = new LinkedSubscriber();
  subscriber.transport = await links[link](world, webhooks, subscriber.take);
  subscriber.subscription = await world.subscribe(webhooks, subscriber.transport);
  await subscriber.revive();
  return subscriber;
}
