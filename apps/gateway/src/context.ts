import type { KeyObject } from 'node:crypto';
import type { InputOf, Method, OutputOf } from '@tidings/contract';
import type { Clock } from '@tidings/kernel';
import type { ApplicationView, Providers, RpcServices } from '@tidings/rpc';
import type { AddressGuard, GeoipPlace, Logger } from '@tidings/runtime';
import type { Broker } from '@tidings/streaming';
import type { Access } from './auth/access.ts';
import type { Credentials } from './auth/authorize.ts';
import type { CallerLimits } from './auth/caller-limits.ts';
import type { RateLimits } from './auth/rate-limits.ts';
import type { UserLimits } from './auth/user-limits.ts';
import type { DeviceCommands } from './devices/device-commands.ts';
import type { ExportLinks } from './exports/links.ts';
import type { Reporter } from './reports/reporter.ts';
import type { MailLinkReader } from './mail/mail-links.ts';
import type { ClientAddresses } from './http/client-address.ts';
import type { PendingRequest } from './limits/pending-requests.ts';
import type { twilioSecrets, whatsAppSecrets } from './reports/receipt-secrets.ts';
import type { System } from './system/system.ts';

/**
 * The services behind the gateway. Not among them: `providers`, which answers for a single process (see {@link Context.dispatchers}), and the sent
 * values, which are for webhooks.
 */
export type GatewayServices = Omit<RpcServices, 'providers' | 'sentValues'>;

/** The dependencies of handlers: the services behind the gateway and the components in front of them. */
export interface Context extends GatewayServices {
  /** Commands to devices, grouped in front of {@link Context.devices}. */
  readonly deviceCommands: DeviceCommands;
  readonly reporter: Reporter;
  readonly access: Access;
  readonly rateLimits: RateLimits;
  /** Limits on creating test devices, which needs no token. */
  readonly testDeviceLimits: CallerLimits;
  /** Limits on the users of inboxes, which need no token. */
  readonly inboxLimits: UserLimits;
  /** Limits on requests of Safari, which have no token of the API. */
  readonly websiteLimits: CallerLimits;
  /** The key of the tokens in push packages. May throw a Fault `unavailable` until it is there. */
  readonly visitorKey: () => KeyObject;
  /** Reads the links in mails. */
  readonly mailLinks: MailLinkReader;
  /** Limits on requests by the links of one recipient, which need no token. */
  readonly recipientLimits: CallerLimits;
  readonly system: System;
  /** Every dispatcher process at the moment of the call. */
  readonly dispatchers: () => readonly Providers[] | Promise<readonly Providers[]>;
  /** Records of public topics, for operators. */
  readonly broker: Pick<Broker, 'addTopic' | 'subscribe'>;
  /** Absent = nothing is refused for want of room. */
  readonly storage?: { admit(): void } | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  /** Decides which addresses given by callers the service may connect to. */
  readonly addressGuard: AddressGuard;
  readonly clients: ClientAddresses;
  /** The place of a client by its address; undefined if it is unknown, or no database is installed. */
  readonly locate: (address: string) => GeoipPlace | undefined;
  /** Domains of disposable e-mail addresses, subdomains included (R-E4). */
  readonly disposableDomains: ReadonlySet<string>;
  readonly exportLinks: ExportLinks;
  /** The secrets that an application shares with WhatsApp. */
  readonly whatsAppSecrets: ReturnType<typeof whatsAppSecrets>;
  readonly twilioSecrets: ReturnType<typeof twilioSecrets>;
  /** Public URL of the service's own links, without a trailing slash. */
  readonly publicUrl: string;
}

/** One call of a method by an authorized caller. */
export interface Call {
  /** "" for operators and for callers without a token. */
  readonly account: string;
  /** Undefined for operators, and if the token is optional and missing. */
  readonly credentials: Credentials | undefined;
  /** The application that the request names; undefined where its method has none. */
  readonly application: ApplicationView | undefined;
  /** Idempotency key of this call; "" without one (R-ER11). */
  readonly idempotencyKey: string;
  /** The deadline of the call and the memory that it holds until it is answered. */
  readonly pending: PendingRequest;
  /** The client's address. Behind a proxy that is not trusted it is the proxy's. Never stored, logged or published. */
  readonly address: string;
}

/**
 * Implements an API method: acts on its input and answers, or throws a Fault.
 * @template Uses the members of the context that it uses. @default none; all for a handler of any method
 */
export type Handler<M, Uses extends keyof Context = Method extends M ? keyof Context : never> = (
  input: InputOf<M>,
  context: Pick<Context, Uses>,
  call: Call,
) => Promise<OutputOf<M>>;

/** A handler for every method of an API. */
export type Serves<Api> = {
  readonly [Name in keyof Api]: Handler<Api[Name], keyof Context>;
};
