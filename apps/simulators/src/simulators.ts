import type { Socket } from 'node:net';
import { ShiftedClock } from '@tidings/kernel';
import { Faults, type ProviderFaults } from './provider-faults.ts';
import { AccessTokens } from './google-oauth/access-tokens.ts';
import { Keys } from './provider-keys.ts';
import { Ledger } from './ledger.ts';
import type { LedgerOptions } from './ledger/entries.ts';
import type { Provider, ProviderName, SocketProvider } from './provider.ts';
import { simulators } from './provider-simulators.ts';
import { Outbox } from './transport/outbox.ts';
import { serveHttp1 } from './transport/http1-server.ts';
import { serveHttp2 } from './transport/http2-server.ts';
import { Listener, type TlsFiles } from './transport/listener.ts';

export interface SimulatorOptions extends LedgerOptions {
  /** @default '127.0.0.1' */
  host?: string | undefined;
  /** 0 = a free one. @default 0 */
  ports?: Partial<Record<ProviderName | 'control', number>> | undefined;
  /** The control API never uses TLS. */
  tls?: TlsFiles | undefined;
  /** Per connection. @default 1000 */
  maxConcurrentStreams?: number | undefined;
  /** @default 3599 */
  accessTokenSeconds?: number | undefined;
  /** @default 1 */
  retryAfterSeconds?: number | undefined;
  /** Nest is not loaded without it. @default true */
  control?: boolean | undefined;
}

export interface Stage {
  readonly ledger: Ledger;
  readonly faults: Faults;
  readonly keys: Keys;
  readonly accessTokens: AccessTokens;
  readonly clock: ShiftedClock;
  /** Keys and faults stay. */
  reset(options?: LedgerOptions): void;
}

export interface Simulators extends Stage {
  /** @throws RangeError for an unknown provider */
  urlOf(provider: string): string;
  readonly apnsUrl: string;
  readonly fcmUrl: string;
  readonly webPushUrl: string;
  /** `smtp://`. */
  readonly smtpUrl: string;
  /** For a service account's `token_uri`. */
  readonly tokenUrl: string;
  /** Empty if the control API is off. */
  readonly controlUrl: string;
  close(): Promise<void>;
}

interface Venue {
  readonly host: string;
  readonly port: number | undefined;
  readonly tls: TlsFiles | undefined;
  readonly maxConcurrentStreams: number;
  readonly http1: boolean;
}

const listen = async (name: string, listener: Listener, faults: Faults, outbox: Outbox): Promise<Listener> => {
  await listener.up();
  faults.enactWith(name, async ({ down, blackhole }) => {
    listener.setSilent(blackhole);
    if (!blackhole) outbox.flush();
    await (down ? listener.down() : listener.up());
  });
  return listener;
};

const openSockets = (provider: SocketProvider, { faults }: Stage, { host, port = 0 }: Venue): Promise<Listener> => {
  const accept = (socket: Socket): void => provider.accept(socket);
  return listen(provider.name, new Listener({ host, port, accept }), faults, provider.outbox);
};

const open = async (provider: Provider, { ledger, faults }: Stage, venue: Venue): Promise<Listener> => {
  const { host, port = 0, tls, maxConcurrentStreams } = venue;
  const own = faults.of(provider.name);
  const outbox = new Outbox(own);
  const countReset = (): void => ledger.of(provider.name).count('resetUnread');
  const http2 = serveHttp2({
    provider,
    faults: own,
    outbox,
    maxConcurrentStreams,
    countReset,
    hangUp: (remotePort) => listener.hangUp(remotePort),
    disconnect: (remotePort) => listener.disconnect(remotePort),
  });
  const http1 = venue.http1 ? serveHttp1({ provider, faults: own, outbox, countReset }) : undefined;
  const listener: Listener = new Listener({ host, port, tls, http2, http1 });
  return listen(provider.name, listener, faults, outbox);
};

const stageOf = (options: SimulatorOptions, base: Partial<ProviderFaults>, resets: (() => void)[]): Stage => {
  const clock = new ShiftedClock();
  const now = (): number => clock.now();
  const identify = new Map(Array.from(simulators, ([name, { idOf }]) => [name, idOf]));
  const ledger = new Ledger(now, identify, options);
  const accessTokens = new AccessTokens(now, options.accessTokenSeconds);
  const reset = (ledgerOptions?: LedgerOptions): void => {
    ledger.reset(ledgerOptions);
    for (const each of resets) each();
  };
  return { ledger, faults: new Faults(simulators.keys(), base), keys: new Keys(), accessTokens, clock, reset };
};

/** Resolves when all listen. */
export const startSimulators = async (options: SimulatorOptions = {}): Promise<Simulators> => {
  const { host = '127.0.0.1', ports = {}, tls, maxConcurrentStreams = 1000 } = options;
  const resets: (() => void)[] = [];
  const stage = stageOf(options, { retryAfterSeconds: options.retryAfterSeconds ?? 1 }, resets);
  const scheme = tls === undefined ? 'http' : 'https';
  const listeners = new Map<string, Listener>();
  const urlOf = (name: string): string => {
    const listener = listeners.get(name);
    if (!listener) throw new RangeError(`no provider ${name}`);
    return `${simulators.get(name)?.scheme ?? scheme}://${host}:${listener.port}`;
  };
  const tokenUrl = (): string => `${urlOf('google-oauth')}/token`;
  const deps = { ...stage, now: () => stage.clock.now(), tokenUrl };
  const portOf: ReadonlyMap<string, number> = new Map(Object.entries(ports));
  for (const [name, { http1, ...simulator }] of simulators) {
    const provider = simulator.open(deps);
    resets.push(() => provider.reset());
    const port = portOf.get(name);
    const venue = { host, port, tls, maxConcurrentStreams, http1 };
    const opened = 'accept' in provider ? openSockets(provider, stage, venue) : open(provider, stage, venue);
    listeners.set(name, await opened);
  }
  const control =
    options.control === false
      ? undefined
      : await (await import('./control/serve.ts')).serveControl(stage, host, ports.control ?? 0);

  const close = async (): Promise<void> => {
    stage.faults.close();
    await Promise.all([...[...listeners.values()].map((listener) => listener.down()), control?.close()]);
  };
  return {
    ...stage,
    urlOf,
    apnsUrl: urlOf('apns'),
    fcmUrl: urlOf('fcm'),
    webPushUrl: urlOf('webpush'),
    smtpUrl: urlOf('email'),
    tokenUrl: tokenUrl(),
    controlUrl: control?.url ?? '',
    close,
  };
};
