import { connectionResults, localResults, type SendResult } from '@tidings/channels';
import type { Lane } from '@tidings/delivery';
import type { ProviderConnection } from '@tidings/http2';
import type { Timers } from '../../timers.ts';
import { connectionResult } from '../connections.ts';

const SERVICES_MAX = 4_096;
const CONNECTIONS_MAX = 256;
const UNPROVEN_MAX = 32;
const BACK_OFF_MS = [1_000, 2_000, 4_000, 5_000, 10_000, 20_000, 30_000];
/** Longer waits end together, so that a slice with many dead services is resumed once. */
const ALIGN_FROM_MS = 10_000;
const CONNECTING_MS = 1_000;
const FULL_MS = 5_000;

export class PushService {
  readonly origin: string;
  readonly openedBy: string;
  readonly #timers: Timers;
  readonly #connect: (service: PushService) => ProviderConnection | undefined;
  #connection: ProviderConnection | undefined;
  #failures = 0;
  #seenFailureAt = 0;
  #downUntil = 0;
  #failure: SendResult = localResults.unreachable;
  inFlight = 0;
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

  get connection(): ProviderConnection | undefined {
    return this.#connection;
  }

  ready(): boolean {
    if (this.#downUntil > this.#timers.now()) return false;
    this.#connection ??= this.#connect(this);
    return this.#connection?.ready() ?? false;
  }

  whenReady(run: () => void): void {
    if (this.#connection) this.#connection.whenReady(run);
    else queueMicrotask(run);
  }

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
    if (failure.at === this.#seenFailureAt) return now + CONNECTING_MS;
    this.#seenFailureAt = failure.at;
    this.#failure = connectionResult(this.#connection);
    return (this.#downUntil = this.#nextAttempt(now));
  }

  failure(): SendResult {
    return this.#failure;
  }

  isForbidden(): boolean {
    this.downUntil();
    return this.#failure === connectionResults.private_address && this.#downUntil > this.#timers.now();
  }

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
  readonly connect: (origin: string) => ProviderConnection;
  readonly timers: Timers;
}

type Services = Map<string, PushService>;

/** Callers choose the origins, so they are bounded; one application's dead ones take no connections from others. */
export class PushServices {
  readonly #options: PushServicesOptions;
  readonly #lanes = new Map<Lane, Services>();

  constructor(options: PushServicesOptions) {
    this.#options = options;
  }

  of(lane: Lane, origin: string, openedBy: string): PushService {
    const services = this.#servicesOf(lane);
    const existing = services.get(origin);
    const { timers } = this.#options;
    const service =
      existing ?? new PushService({ origin, openedBy, timers }, (opener) => this.#connect(services, opener));
    if (existing) services.delete(origin);
    addService(services, service);
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

  #connect(services: Services, opener: PushService): ProviderConnection | undefined {
    const { origin, openedBy } = opener;
    const current = services.get(origin);
    if (!current) addService(services, opener);
    else if (current !== opener) return undefined;
    const connected = [...services.values()].filter(({ connection }) => connection !== undefined);
    const unproven = connected.filter(({ isProven }) => !isProven);
    const own = unproven.filter((each) => each.openedBy === openedBy);
    if (own.length >= UNPROVEN_MAX) {
      if (!hasYielded(own)) return undefined;
    } else if (connected.length >= CONNECTIONS_MAX && !hasYielded(unproven) && !hasYielded(connected)) return undefined;
    return this.#options.connect(origin);
  }
}

function addService(services: Services, service: PushService): void {
  if (services.size >= SERVICES_MAX) evictOldest(services);
  services.set(service.origin, service);
}

function hasYielded(services: readonly PushService[]): boolean {
  const idleService = services.find((service) => service.canYield());
  idleService?.close();
  return idleService !== undefined;
}

function evictOldest(services: Services): void {
  for (const [origin, service] of services) {
    if (service.inFlight > 0) continue;
    services.delete(origin);
    service.close();
    return;
  }
}
