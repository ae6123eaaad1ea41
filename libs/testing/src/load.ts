import { setTimeout as delay } from 'node:timers/promises';
import { randomBase62 } from '@tidings/kernel';
import { answered, hasNoAnswer } from './answered.ts';
import { funnelFigures } from './funnel-invariants.ts';
import { listedMessage } from './message.ts';
import type { World } from './world.ts';

const CLIENTS = 8;
/** Devices that the messages are sent to. */
const NAMED = 10;
const LOOK_EVERY_MS = 5;
const LANGUAGES = ['de', 'fr'];
/** Registrations by a client between two of its messages. */
const REGISTRATIONS = 10;
/** Pause of the load, which would otherwise take the processor from the processes that restart and from the takeovers. */
const PAUSE_MS = 20;

interface Named {
  readonly code: string;
  readonly devices: number;
}

/** The applications of a load, and devices of the first one that receive its messages, by name. */
export interface LoadTarget {
  readonly applications: readonly string[];
  named(n: number): readonly string[];
}

export interface LoadOptions {
  /** The pause of each of the eight clients after a reply. @default 20, which makes some hundred calls a second in all */
  readonly pauseMs?: number;
  /** Number of devices that each client registers, again and again in another language. @default a new one with each call */
  readonly devices?: number;
}

/** Clients that register devices and send messages to named devices, and repeat unanswered calls. */
export class Load {
  readonly #world: World;
  readonly #application: string;
  readonly #named: readonly string[];
  readonly #name = `load-${randomBase62(6)}`;
  /** Language in the last acknowledged registration of each hwid. */
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

  /**
   * Runs an action while clients register devices in the target's first application and send messages to ten of its devices. The action begins
   * when every client has had replies, and the clients end with it, whatever its outcome.
   */
  static async during(
    world: World,
    target: LoadTarget,
    action: () => Promise<void>,
    options: LoadOptions = {},
  ): Promise<Load> {
    const load = new Load(world, target.applications[0]!, target.named(NAMED), options);
    try {
      await load.#begun();
      await action();
    } finally {
      await load.#stop();
    }
    return load;
  }

  /** Replies of 500 and above so far, one line each. */
  get faults(): readonly string[] {
    return this.#faults;
  }

  /** Calls so far that were written and got no reply, one line each. */
  get withoutReply(): readonly string[] {
    return this.#withoutReply;
  }

  /** Numbers of acknowledged registrations and messages so far, and of connections that a gateway which has ended refused: another one takes the call. */
  get counts(): { readonly registered: number; readonly sent: number; readonly refused: number } {
    return { registered: this.#registered, sent: this.#messages.length, refused: this.#refused };
  }

  async #begun(): Promise<void> {
    while (this.#registered < 3 * CLIENTS) await Promise.race([delay(LOOK_EVERY_MS), this.#clients]);
  }

  /** Resolves when the last call is answered. */
  async #stop(): Promise<void> {
    this.#ending = true;
    await this.#clients;
  }

  /** Acknowledged data that is missing or wrong, one line each; none = all is correct. Call it when the world is settled. */
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
    return answered(() =>
      call().catch((error: unknown) => {
        if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') this.#refused++;
        else if (!(error as { reply?: unknown }).reply) this.#withoutReply.push(String(error));
        else if (hasNoAnswer(error)) this.#faults.push(String(error));
        throw error;
      }),
    );
  }
}

/** Does something with each item, some at once. */
async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) await work(items[next++]!);
  };
  await Promise.all(Array.from({ length: CLIENTS }, worker));
}
