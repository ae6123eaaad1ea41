import { connectionResults, localResults, type SendResult } from '@tidings/channels';
import type { Lane } from '@tidings/delivery';
import type { ProviderConnection } from '@tidings/http2';
import type { Timers } from '../../timers.ts';
import { troubleOf } from '../connections.ts';

/** Maximum number of push services that are remembered, in each lane: callers choose them. */
const SERVICES_MAX = 4_096;
/** Maximum number of those with a connection. */
const CONNECTIONS_MAX = 256;
/** Maximum number of those with a connection that have never answered and that one application's devices brought up. */
const UNPROVEN_MAX = 32;
/** Waits between attempts to reach a push service; the last one repeats. */
const BACK_OFF_MS = [1_000, 2_000, 4_000, 5_000, 10_000, 20_000, 30_000];
/** Waits of this length and more end together, so that a slice with many dead push services is resumed once for all of them. */
const ALIGN_FROM_MS = 10_000;
/** Time after which an attempt is looked at again. */
const CONNECTING_MS = 1_000;
/** Wait of a push service for which there is no room. */
const FULL_MS = 5_000;

/** A push service: its connection, and whether it can be reached. */
export class PushService {
  readonly origin: string;
  /** `<application>/<platform>` of the device that brought it up. */
  readonly openedBy: string;
  readonly #timers: Timers;
  readonly #connect: (service: PushService) => ProviderConnection | undefined;
  #connection: ProviderConnection | undefined;
  #failures = 0;
  #seenFailureAt = 0;
  #downUntil = 0;
  #trouble: SendResult = localResults.unreachable;
  /** Number of written pushes without an answer. */
  inFlight = 0;
  /** Whether it has ever answered. */
  isProven = false;

  constructor(
    options: { readonly origin: string; readonly openedBy: string; readonly timers: Timers },
    connect: (service: PushService) => ProviderConnection | undefined,
  ) {
    this.origin = options.origin;
    this.openedBy = options.openedBy;
    this.#timers = options.timers;
    this.#connect = connect;
  }

  /** Undefined until it is first used, and while others take all the room. */
  get connection(): ProviderConnection | undefined {
    return this.#connection;
  }

  /** Whether a push can be written now. Starts an attempt to connect if it is time for one. */
  ready(): boolean {
    if (this.#downUntil > this.#timers.now()) return false;
    this.#connection ??= this.#connect(this);
    return this.#connection?.ready() ?? false;
  }

  whenReady(run: () => void): void {
    if (this.#connection) this.#connection.whenReady(run);
    else queueMicrotask(run);
  }

  /** The time until which no device is tried, on the timers' clock; 0 = now. After a failure no device waits in a run for the next attempt. */
  downUntil(): number {
    if (this.#connection?.isOpen()) {
      this.#failures = 0;
      return 0;
    }
    const now = this.#timers.now();
    if (this.#downUntil > now) return this.#downUntil;
    if (!this.#connection) return now + FULL_MS;
    const failure = this.#connection.lastFailure();
    if (!failure) return 0;
    // The next attempt is in progress.
    if (failure.at === this.#seenFailureAt) return now + CONNECTING_MS;
    this.#seenFailureAt = failure.at;
    this.#trouble = troubleOf(this.#connection);
    return (this.#downUntil = this.#nextAttempt(now));
  }

  /** The result of devices whose time is over while it cannot be reached. */
  trouble(): SendResult {
    return this.#trouble;
  }

  /** Whether its name led only to addresses that are not allowed, at the last attempt; false during the next one. */
  isForbidden(): boolean {
    this.downUntil();
    return this.#trouble === connectionResults.private_address && this.#downUntil > this.#timers.now();
  }

  /** Whether its connection may be closed in favour of another one: nothing runs on it, and no attempt is in progress. */
  canYield(): boolean {
    return this.inFlight === 0 && (this.#connection?.isOpen() === true || this.#downUntil > this.#timers.now());
  }

  close(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }

  #nextAttempt(now: number): number {
    const waitMs = BACK_OFF_MS[Math.min(this.#failures, BACK_OFF_MS.length - 1)]!;
    this.#failures++;
    const until = now + waitMs;
    return waitMs < ALIGN_FROM_MS ? until : Math.ceil(until / ALIGN_FROM_MS) * ALIGN_FROM_MS;
  }
}

export interface PushServicesOptions {
  /** Opens a connection to an origin. */
  readonly connect: (origin: string) => ProviderConnection;
  readonly timers: Timers;
}

type Services = Map<string, PushService>;

/**
 * The push services of browsers, by lane and origin. Their number and that of their connections are bounded, since callers choose the origins. The
 * least recently used one without a push in flight gives way. Dead origins of one application take no connections from others.
 */
export class PushServices {
  readonly #options: PushServicesOptions;
  /** Services in the order of their last use. */
  readonly #lanes = new Map<Lane, Services>();

  constructor(options: PushServicesOptions) {
    this.#options = options;
  }

  /** The push service of an origin. @param openedBy `<application>/<platform>` of the device */
  of(lane: Lane, origin: string, openedBy: string): PushService {
    const services = this.#servicesOf(lane);
    const known = services.get(origin);
    const { timers } = this.#options;
    const service = known ?? new PushService({ origin, openedBy, timers }, (asking) => this.#connect(services, asking));
    if (known) services.delete(origin);
    remember(services, service);
    return service;
  }

  close(): void {
    for (const services of this.#lanes.values()) for (const service of services.values()) service.close();
    this.#lanes.clear();
  }

  #servicesOf(lane: Lane): Services {
    const services: Services = this.#lanes.get(lane) ?? new Map<string, PushService>();
    this.#lanes.set(lane, services);
    return services;
  }

  /** Undefined if there is no room for another connection. A forgotten push service that a batch still uses is remembered again. */
  #connect(services: Services, asking: PushService): ProviderConnection | undefined {
    const { origin, openedBy } = asking;
    const current = services.get(origin);
    if (!current) remember(services, asking);
    else if (current !== asking) return undefined;
    const connected = [...services.values()].filter(({ connection }) => connection !== undefined);
    const unproven = connected.filter(({ isProven }) => !isProven);
    const own = unproven.filter((each) => each.openedBy === openedBy);
    if (own.length >= UNPROVEN_MAX) {
      if (!hasYielded(own)) return undefined;
    } else if (connected.length >= CONNECTIONS_MAX && !hasYielded(unproven) && !hasYielded(connected)) return undefined;
    return this.#options.connect(origin);
  }
}

/** Adds one as the last used; where there are too many, one of the others is forgotten. */
function remember(services: Services, service: PushService): void {
  if (services.size >= SERVICES_MAX) forgetOldest(services);
  services.set(service.origin, service);
}

/** Closes the first connection that may be closed; false if none may. */
function hasYielded(services: readonly PushService[]): boolean {
  const yielding = services.find((service) => service.canYield());
  yielding?.close();
  return yielding !== undefined;
}

/** Forgets the least recently used one without a push in flight. */
function forgetOldest(services: Services): void {
  for (const [origin, service] of services) {
    if (service.inFlight > 0) continue;
    services.delete(origin);
    service.close();
    return;
  }
}
