import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { noResults, type Results, type SuppressedSince } from '@tidings/delivery';
import { type SendBatch, SliceOutcome } from '@tidings/events';
import { type ConnectionSettings, Http2Connection, openHttp1Link, type OpenLink } from '@tidings/http2';
import { Bitmap, Fault, ShiftedClock } from '@tidings/kernel';
import type { ContactsOfSlice, Devices } from '@tidings/rpc';
import { AddressGuard, type MasterKeys, systemLookup } from '@tidings/runtime';
import type { LookupFunction } from 'node:net';
import type { Channel } from '../channels/channel-port.ts';
import { Credentials } from '../channels/credentials/credential-cache.ts';
import { Dispatch } from '../receive/dispatch.ts';
import { contactRechecker } from '../retry/recheck-contacts.ts';
import { WorkerLease } from '../attempts/worker-lease.ts';
import { postFormBy } from '../channels/post-form.ts';
import { StoppedMessages } from '../stop/stopped-messages.ts';
import { Throttles } from '../throttle/throttles.ts';
import { systemTimers, type Timers } from '../timers.ts';
import { platformsWith, type TestCredentials } from './test-credentials.ts';
import { Paces } from '../pace/pace.ts';
import { MemoryAttempts, MemoryLeases, MemoryPaces, MemoryStops, MemoryThrottles } from './memory-store.ts';
import { noMetrics } from './no-metrics.ts';
import { noValues } from './no-values.ts';

export interface ChannelDeps {
  readonly credentials: Credentials;
  readonly reportKey: KeyObject;
  readonly clock: ShiftedClock;
  readonly connect: (settings: ConnectionSettings) => Http2Connection;
  readonly connectHttp1: (settings: ConnectionSettings) => Http2Connection;
  readonly connectBy: (open: OpenLink) => (settings: ConnectionSettings) => Http2Connection;
  readonly postForm: ReturnType<typeof postFormBy>;
  readonly postProvider: ReturnType<typeof postFormBy>;
  readonly addresses: AddressGuard;
  readonly lookup: LookupFunction;
  readonly expiresEarlyMs: number;
}

const away: ReadonlySet<string | undefined> = new Set([
  'credential not usable',
  'comparing a deferred slice again failed',
]);
/** Only a hang takes longer; less than the time limit of a test. */
const TIMEOUT_MS = 200_000;

const slowTimers = (factor: number): Timers => {
  const startedAt = systemTimers.now();
  return {
    now: () => startedAt + (systemTimers.now() - startedAt) / factor,
    wall: () => systemTimers.wall(),
    after: (ms, run) => systemTimers.after(ms * factor, run),
  };
};

export interface LaneWorldOptions {
  /** Requests without an answer expire this long before their deadline, 34 s after the run began. @default 0 */
  readonly expiresEarlyMs?: number | undefined;
  readonly lookup?: LookupFunction | undefined;
  /** Extends the budget of a handler call, whose end defers slices on a busy machine. @default 1 */
  readonly budgetFactor?: number | undefined;
}

export type DeviceOutcome = string;

export class LaneWorld {
  readonly clock = new ShiftedClock();
  readonly attempts = new MemoryAttempts();
  readonly outcomes: SliceOutcome[] = [];
  readonly channel: Channel;
  readonly suppressed = new Map<number, SuppressedSince>();
  readonly compared: ContactsOfSlice[] = [];
  registryIsDown = false;
  readonly #workerLease: WorkerLease;
  readonly #dispatch: Dispatch;
  readonly #errors: unknown[] = [];

  readonly #providerClock: ShiftedClock;

  /** @param providerClock advances with the clock: tokens expire */
  constructor(
    credentials: TestCredentials,
    open: (parts: ChannelDeps) => Channel,
    providerClock: ShiftedClock,
    openLink: OpenLink,
    { expiresEarlyMs = 0, lookup = systemLookup, budgetFactor = 1 }: LaneWorldOptions = {},
  ) {
    this.#providerClock = providerClock;
    this.clock.advanceTo(providerClock.aheadMs);
    const addresses = new AddressGuard(['127.0.0.0/8', '::1'], lookup);
    const masterKeys: MasterKeys = [randomBytes(32)];
    const connectBy = (open: OpenLink) => (settings: ConnectionSettings) =>
      new Http2Connection({ lookup, ...settings }, expiringEarly(open, expiresEarlyMs));
    const fail = (error: unknown): void => void this.#errors.push(error);
    this.channel = open({
      credentials: new Credentials(platformsWith(masterKeys, credentials), masterKeys),
      reportKey: createSecretKey(randomBytes(32)),
      clock: this.clock,
      connect: connectBy(openLink),
      connectHttp1: connectBy(openHttp1Link),
      connectBy,
      postForm: postFormBy({ guard: addresses }),
      postProvider: postFormBy({ guard: addresses }),
      addresses,
      lookup,
      expiresEarlyMs,
    });
    this.#workerLease = new WorkerLease({
      name: 'test',
      store: new MemoryLeases().over(systemTimers),
      timers: systemTimers,
      onError: fail,
    });
    this.#dispatch = new Dispatch({
      lane: 'broadcast',
      channel: this.channel,
      store: this.attempts.over(),
      values: noValues,
      workerLease: this.#workerLease,
      throttles: new Throttles({ store: new MemoryThrottles().over(), clock: this.clock, onError: fail }),
      stops: new StoppedMessages({
        store: new MemoryStops(this.attempts).over(),
        clock: this.clock,
        timers: systemTimers,
        isAlone: () => true,
        onError: fail,
      }),
      paces: new Paces({ store: new MemoryPaces().over(), timers: systemTimers, onError: fail }),
      publish: async ({ value }) => void this.outcomes.push(SliceOutcome.decode(value)),
      clock: this.clock,
      timers: slowTimers(budgetFactor),
      random: () => 0.5,
      metrics: noMetrics,
      recheckContacts: this.channel.hasSuppressions
        ? contactRechecker({ devices: this.#devices(), clock: this.clock })
        : undefined,
      log: { error: (_: unknown) => fail(_), warn: (_: unknown, text?: string) => !away.has(text) && fail(_) },
    });
    this.#workerLease.start();
    this.#dispatch.start();
  }

  #devices(): Pick<Devices, 'findSuppressed'> {
    return {
      findSuppressed: async ({ slices }) => {
        if (this.registryIsDown) throw Fault.unavailable('down');
        this.compared.push(...slices);
        return {
          found: slices.flatMap(({ positions }, slice) =>
            positions.flatMap((position) => {
              const reason = this.suppressed.get(position);
              return reason ? [{ slice, reason, positions: [position] }] : [];
            }),
          ),
        };
      },
    };
  }

  async dispatch(batch: SendBatch): Promise<void> {
    const done = await this.#dispatch.handle([
      { ...batch, releasedAt: batch.releasedAt ?? new Date(this.clock.now()) },
    ]);
    if (done !== 1) throw new Error('the batch was not handled');
  }

  async send(batch: SendBatch, timeoutMs = TIMEOUT_MS, advances = true): Promise<ReadonlyMap<number, DeviceOutcome>> {
    await this.dispatch(batch);
    await this.settle(timeoutMs, advances);
    return this.deviceOutcomes();
  }

  settledSlices(): number[] {
    return this.outcomes
      .flatMap(({ number, outcome }) => (outcome?.$case === 'settled' ? [number] : []))
      .toSorted((a, b) => a - b);
  }

  settle(timeoutMs = TIMEOUT_MS, advances = false): Promise<void> {
    return this.until(() => this.open().length === 0, timeoutMs, advances);
  }

  /** @param advances the clock advances to the time for which all open slices wait */
  async until(isDone: () => boolean, timeoutMs = TIMEOUT_MS, advances = true): Promise<void> {
    const giveUpAt = Date.now() + timeoutMs;
    while (!isDone()) {
      if (Date.now() > giveUpAt) throw new Error(`not settled: ${this.open().join(', ')}`);
      const due = this.nextDue();
      if (advances && due !== undefined) this.advanceTo(due);
      await delay(20);
    }
  }

  advanceTo(now: number): void {
    this.clock.advance(Math.max(0, now - this.clock.now()));
    this.#providerClock.advanceTo(this.clock.aheadMs);
  }

  open(): string[] {
    return [...this.attempts.byId].flatMap(([id, { attempt }]) =>
      attempt.state === 'settled' ? [] : [`${id} ${attempt.state}`],
    );
  }

  /** Only if all open slices wait for time. */
  nextDue(): number | undefined {
    const open = [...this.attempts.byId.values()]
      .map(({ attempt }) => attempt)
      .filter(({ state }) => state !== 'settled');
    const dues = open.map((attempt) =>
      attempt.state === 'deferred' && attempt.deferral.answersUntil === 0 ? attempt.dueAt : undefined,
    );
    return dues.length > 0 && dues.every((due) => due !== undefined) ? Math.min(...dues) : undefined;
  }

  get results(): readonly Results[] {
    return [...this.attempts.byId.values()].map(({ attempt }) => attempt.results ?? noResults);
  }

  deviceOutcomes(): ReadonlyMap<number, DeviceOutcome> {
    const outcomes = new Map<number, DeviceOutcome>();
    const note = (set: Uint8Array, outcome: DeviceOutcome): void => {
      for (const position of Bitmap.decode(set).positions()) outcomes.set(position, outcome);
    };
    for (const { sent, failed } of this.results) {
      for (const { set } of sent) note(set, 'SENT');
      for (const { category, code, name, set } of failed) note(set, `${category} ${code} ${name}`);
    }
    return outcomes;
  }

  bounces(): ReadonlyMap<number, string> {
    const bounced = this.results.flatMap((results) => results.bounced);
    return new Map(
      bounced.flatMap(({ category, set }) =>
        [...Bitmap.decode(set).positions()].map((position) => [position, category] as const),
      ),
    );
  }

  async close(): Promise<void> {
    await this.#dispatch.stop();
    await this.#workerLease.stop();
    await this.channel.close();
    if (this.#errors.length > 0) throw this.#errors[0];
  }
}

const expiringEarly =
  (open: OpenLink, earlyMs: number): OpenLink =>
  (settings, events) => {
    const link = open(settings, events);
    const expire = link.expire.bind(link);
    link.expire = (now) => expire(now + earlyMs);
    return link;
  };
