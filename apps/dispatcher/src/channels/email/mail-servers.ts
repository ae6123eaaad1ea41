import type { LookupFunction } from 'node:net';
import type { Lane } from '@tidings/delivery';
import type { FailedOpening } from '@tidings/http2';
import { serverNameOf } from '@tidings/runtime';
import type { Timers } from '../../timers.ts';
import { addressOf, exchangerOf, type MailNames } from './mail-exchangers.ts';
import { MailServer, type Target } from './mail-server.ts';
import type { Login } from './smtp-session.ts';

/** The operator's relay. */
export interface Relay {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; otherwise STARTTLS where the relay offers it. */
  readonly secure: boolean;
  readonly login: Login | undefined;
}

const PORTS: Readonly<Record<string, number>> = { 'smtp:': 587, 'smtps:': 465 };

/** `smtp://` or `smtps://`, with user and password if the relay wants a login. */
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
  /** Undefined: mails go to the servers of each recipient's domain (R-E19). */
  readonly relay: Relay | undefined;
  readonly names: MailNames;
  readonly lookup: LookupFunction;
  /** The port of domains' servers. @default 25 */
  readonly port?: number | undefined;
  /** PEM of all CA certificates; undefined = the certificates of Node. */
  readonly ca: readonly string[] | undefined;
  readonly timers: Timers;
  readonly onFailure: (failure: FailedOpening, host: string) => void;
}

/** Maximum number of sessions with the relay, in each lane. */
const RELAY_SESSIONS = 20;
/** Maximum number of sessions with a domain, in each lane: servers refuse more from one client. */
const DOMAIN_SESSIONS = 4;
/** Maximum number of sessions with all domains together, in each lane. */
const SESSIONS_MAX = 256;
/** Maximum number of domains that are remembered, in each lane: callers choose them. */
const DOMAINS_MAX = 8_192;

/**
 * How long a relay may take to reply to a mail. Before its reply both sides may be responsible for the mail, so the standard asks for patience (RFC 5321,
 * 4.5.3.2.6; ADR 43).
 */
export const RELAY_REPLY_MS = 600_000;

const PHASE_MS = 10_000;
const timeouts = {
  connectionTimeout: PHASE_MS,
  greetingTimeout: PHASE_MS,
  dnsTimeout: PHASE_MS,
  socketTimeout: 60_000,
};

/** The deadlines of mails end a session earlier, unless it waits for a reply to a mail. */
const relayTimeouts = { ...timeouts, socketTimeout: RELAY_REPLY_MS + 60_000 };

/** The mail servers of one lane: the relay, or the servers of domains. */
class LaneServers {
  readonly #options: MailServersOptions;
  readonly #byDomain = new Map<string, MailServer>();

  constructor(options: MailServersOptions) {
    this.#options = options;
  }

  of(domain: string): MailServer {
    const place = this.#options.relay ? '' : domain;
    const known = this.#byDomain.get(place);
    if (known) return known;
    if (this.#byDomain.size >= DOMAINS_MAX) this.#forgetUnused();
    const server = this.#options.relay ? this.#relay(this.#options.relay) : this.#domain(domain);
    this.#byDomain.set(place, server);
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
    // nodemailer remembers addresses for five minutes, and for longer where a look-up fails: it gets none to look up.
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
        // Many mail servers have certificates that no known CA has signed: encryption without proof of identity is better than none.
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

/** The mail servers that mails go to; each lane has sessions of its own. */
export class MailServers {
  readonly #options: MailServersOptions;
  readonly #byLane = new Map<Lane, LaneServers>();

  constructor(options: MailServersOptions) {
    this.#options = options;
  }

  /** Whether there is no relay. */
  get isDirect(): boolean {
    return this.#options.relay === undefined;
  }

  /** The server for recipients of a domain. */
  of(lane: Lane, domain: string): MailServer {
    let servers = this.#byLane.get(lane);
    if (!servers) this.#byLane.set(lane, (servers = new LaneServers(this.#options)));
    return servers.of(domain);
  }

  close(): void {
    for (const servers of this.#byLane.values()) servers.close();
  }
}
