import { setTimeout as delay } from 'node:timers/promises';
import { randomBase62 } from '@tidings/kernel';
import { retryUntilAnswered, hasNoAnswer } from './retry-until-answered.ts';
import { funnelFigures } from './funnel-invariants.ts';
import { listedMessage } from './message.ts';
import type { World } from './world.ts';

const CLIENTS = 8;
const NAMED = 10;
const POLL_INTERVAL_MS = 5;
const LANGUAGES = ['de', 'fr'];
const REGISTRATIONS = 10;
/** Otherwise the load would take the processor from restarts and takeovers. */
const PAUSE_MS = 20;

interface Named {
  readonly code: string;
  readonly devices: number;
}

export interface LoadTarget {
  readonly applications: readonly string[];
  named(n: number): readonly string[];
}

export interface LoadOptions {
  /** Per client. @default 20, some hundred calls a second in all */
  readonly pauseMs?: number;
  /** Registered again and again by each client. @default a new one with each call */
  readonly devices?: number;
}

/** Unanswered calls are repeated. */
export class Load {
  readonly #world: World;
  readonly #application: string;
  readonly #named: readonly string[];
  readonly #name = `load-${randomBase62(6)}`;
  readonly #languages = new Map<string, string>();
  readonly #messages: Named[] = [];
  readonly #faults: string[] = [];
  readonly #withoutReply: string[] = [];
  readonly #pauseMs: number;
  readonly #devices: number;
  #registered = 0;
  #refused = 0;
  #ending = false;
  readonly #clients: Promise<unknown>;

  private constructor(
    world: World,
    application: string,
    named: readonly string[],
    { pauseMs = PAUSE_MS, devices = Infinity }: LoadOptions,
  ) {
    this.#pauseMs = pauseMs;
    this.#devices = devices;
    this.#world = world;
    this.#application = application;
    this.#named = named;
    this.#clients = Promise.all(Array.from({ length: CLIENTS }, (_, client) => this.#run(client)));
    this.#clients.catch(() => undefined);
  }

  /** `action` begins when every client has had replies; the clients end with it. */
  static async during(
    world: World,
    target: LoadTarget,
    action: () => Promise<void>,
    options: LoadOptions = {},
  ): Promise<Load> {
    const load = new Load(world, target.applications[0]!, target.named(NAMED), options);
    try {
      await load.#started();
      await action();
    } finally {
      await load.#stop();
    }
    return load;
  }

  /** Replies of 500 and above, one line each. */
  get faults(): readonly string[] {
    return this.#faults;
  }

  /** Calls that were written and got no reply, one line each. */
  get withoutReply(): readonly string[] {
    return this.#withoutReply;
  }

  /** Acknowledged calls, and connections that an ended gateway refused: another one takes the call. */
  get counts(): { readonly registered: number; readonly sent: number; readonly refused: number } {
    return { registered: this.#registered, sent: this.#messages.length, refused: this.#refused };
  }

  async #started(): Promise<void> {
    while (this.#registered < 3 * CLIENTS) await Promise.race([delay(POLL_INTERVAL_MS), this.#clients]);
  }

  async #stop(): Promise<void> {
    this.#ending = true;
    await this.#clients;
  }

  /** One line for each missing or wrong acknowledged item. Call it when the world is settled. */
  async broken(): Promise<string[]> {
    const application = this.#application;
    const broken: string[] = [];
    await inParallel([...this.#languages], async ([hwid, language]) => {
      const { result } = await this.#world.call('getTags', { application, hwid });
      if (result['Language'] !== language) broken.push(`${hwid} is not as it was registered`);
    });
    await inParallel(this.#messages, async ({ code, devices }) => {
      const figures = funnelFigures(await this.#world.call('getDeliveryFunnel', { message_code: code }));
      const status = (await listedMessage(this.#world, application, code))?.status;
      if (status !== 'DONE' || figures.sent !== devices) {
        broken.push(`${code} to ${devices} devices is ${status}: ${JSON.stringify(figures)}`);
      }
    });
    return broken;
  }

  async #run(client: number): Promise<void> {
    const [world, application, devices] = [this.#world, this.#application, this.#named];
    for (let n = 0; !this.#ending; n++) {
      const hwid = `${this.#name}-${client}-${n % this.#devices}`;
      const language = LANGUAGES[Math.floor(n / this.#devices) % LANGUAGES.length]!;
      await this.#persist(() => world.call('registerDevice', { application, hwid, device_type: 3, language }));
      this.#languages.set(hwid, language);
      this.#registered++;
      await delay(this.#pauseMs);
      if (n % REGISTRATIONS > 0) continue;
      const notifications = [{ content: 'Hello', devices, transactionId: `${this.#name}-${client}-${n}` }];
      const { Messages: codes } = await this.#persist(() =>
        world.call('createMessage', { application, notifications }),
      );
      this.#messages.push({ code: codes[0]!, devices: devices.length });
    }
  }

  #persist<T>(call: () => Promise<T>): Promise<T> {
    return retryUntilAnswered(() =>
      call().catch((error: unknown) => {
        if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') this.#refused++;
        else if (!(error as { reply?: unknown }).reply) this.#withoutReply.push(String(error));
        else if (hasNoAnswer(error)) this.#faults.push(String(error));
        throw error;
      }),
    );
  }
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) await work(items[next++]!);
  };
  await Promise.all(Array.from({ length: CLIENTS }, worker));
}
