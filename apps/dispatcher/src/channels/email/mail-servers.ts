import type { LookupFunction } from 'node:net';
import type { Lane } from '@tidings/delivery';
import type { FailedOpening } from '@tidings/http2';
import { serverNameOf } from '@tidings/runtime';
import type { Timers } from '../../timers.ts';
import { addressOf, exchangerOf, type MailNames } from './mail-exchangers.ts';
import { MailServer, type Target } from './mail-server.ts';
import type { Login } from './smtp-session.ts';

export interface Relay {
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
  readonly login: Login | undefined;
}

const PORTS: Readonly<Record<string, number>> = { 'smtp:': 587, 'smtps:': 465 };

export function relayIn(url: string): Relay {
  const { protocol, hostname, port, username, password } = new URL(url);
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? PORTS[protocol]! : Number(port),
    secure: protocol === 'smtps:',
    login: username === '' ? undefined : { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
  };
}

export interface MailServersOptions {
  readonly relay: Relay | undefined;
  readonly names: MailNames;
  readonly lookup: LookupFunction;
  readonly port?: number | undefined;
  readonly ca: readonly string[] | undefined;
  readonly timers: Timers;
  readonly onFailure: (failure: FailedOpening, host: string) => void;
}

const RELAY_SESSIONS = 20;
/** Servers refuse more sessions from one client. */
const DOMAIN_SESSIONS = 4;
const SESSIONS_MAX = 256;
/** Callers choose the domains. */
const DOMAINS_MAX = 8_192;

/** Before the reply both sides may be responsible for the mail (RFC 5321, 4.5.3.2.6; ADR 43). */
export const RELAY_REPLY_MS = 600_000;

const PHASE_MS = 10_000;
const timeouts = {
  connectionTimeout: PHASE_MS,
  greetingTimeout: PHASE_MS,
  dnsTimeout: PHASE_MS,
  socketTimeout: 60_000,
};

const relayTimeouts = { ...timeouts, socketTimeout: RELAY_REPLY_MS + 60_000 };

class LaneServers {
  readonly #options: MailServersOptions;
  readonly #byDomain = new Map<string, MailServer>();

  constructor(options: MailServersOptions) {
    this.#options = options;
  }

  of(domain: string): MailServer {
    const key = this.#options.relay ? '' : domain;
    const existing = this.#byDomain.get(key);
    if (existing) return existing;
    if (this.#byDomain.size >= DOMAINS_MAX) this.#forgetUnused();
    const server = this.#options.relay ? this.#relay(this.#options.relay) : this.#domain(domain);
    this.#byDomain.set(key, server);
    return server;
  }

  close(): void {
    for (const server of this.#byDomain.values()) server.close();
    this.#byDomain.clear();
  }

  #forgetUnused(): void {
    for (const [domain, server] of this.#byDomain) if (server.isUnused) this.#byDomain.delete(domain);
  }

  #relay({ host, port, secure, login }: Relay): MailServer {
    const { ca, timers, lookup, onFailure } = this.#options;
    const tls = { ...serverNameOf(host), ...(ca ? { ca: [...ca] } : {}) };
    // nodemailer caches addresses for minutes, so it gets none to look up.
    const target = async (failures: number): Promise<Target> => ({
      host: await addressOf(host, failures, lookup),
      port,
      secure,
      tls,
      allowInternalNetworkInterfaces: true,
      ...relayTimeouts,
    });
    return new MailServer({
      login,
      timers,
      sessions: RELAY_SESSIONS,
      target,
      onFailure: (failure) => onFailure(failure, host),
    });
  }

  #domain(domain: string): MailServer {
    const { names, port = 25, timers, onFailure } = this.#options;
    return new MailServer({
      timers,
      sessions: DOMAIN_SESSIONS,
      hasRoom: () => this.#hasRoom(),
      async target(failures) {
        const { host, address } = await exchangerOf(domain, failures, names);
        // Many mail servers are self-signed: encryption alone is better than none.
        const tls = { ...serverNameOf(host), rejectUnauthorized: false };
        return { host: address, port, tls, opportunisticTLS: true, ...timeouts };
      },
      onFailure: (failure) => onFailure(failure, domain),
    });
  }

  #hasRoom(): boolean {
    let open = 0;
    for (const { size } of this.#byDomain.values()) open += size;
    return open < SESSIONS_MAX;
  }
}

export class MailServers {
  readonly #options: MailServersOptions;
  readonly #byLane = new Map<Lane, LaneServers>();

  constructor(options: MailServersOptions) {
    this.#options = options;
  }

  get isDirect(): boolean {
    return this.#options.relay === undefined;
  }

  of(lane: Lane, domain: string): MailServer {
    let servers = this.#byLane.get(lane);
    if (!servers) this.#byLane.set(lane, (servers = new LaneServers(this.#options)));
    return servers.of(domain);
  }

  close(): void {
    for (const servers of this.#byLane.values()) servers.close();
  }
}
