import type { KeyObject } from 'node:crypto';
import type { InputOf, OutputOf } from '@tidings/contract';
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

/** `providers` answers for a single process (see {@link Context.dispatchers}); the sent values are for webhooks. */
export type GatewayServices = Omit<RpcServices, 'providers' | 'sentValues'>;

export interface Context extends GatewayServices {
  /** Groups commands in front of {@link Context.devices}. */
  readonly deviceCommands: DeviceCommands;
  readonly reporter: Reporter;
  readonly access: Access;
  readonly rateLimits: RateLimits;
  /** Creating a test device needs no token. */
  readonly testDeviceLimits: CallerLimits;
  /** Inboxes need no token. */
  readonly inboxLimits: UserLimits;
  /** Safari has no token of the API. */
  readonly websiteLimits: CallerLimits;
  /** @throws Fault `unavailable` until the key is there */
  readonly visitorKey: () => KeyObject;
  readonly mailLinks: MailLinkReader;
  /** Links in mails need no token. */
  readonly recipientLimits: CallerLimits;
  readonly system: System;
  /** Every dispatcher process at the moment of the call. */
  readonly dispatchers: () => readonly Providers[] | Promise<readonly Providers[]>;
  readonly broker: Pick<Broker, 'addTopic' | 'subscribe'>;
  /** Absent = nothing is refused for want of room. */
  readonly storage?: { admit(): void } | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  readonly addressGuard: AddressGuard;
  readonly clients: ClientAddresses;
  /** Undefined for an unknown place, and without a database. */
  readonly locate: (address: string) => GeoipPlace | undefined;
  /** Subdomains included (R-E4). */
  readonly disposableDomains: ReadonlySet<string>;
  readonly exportLinks: ExportLinks;
  readonly whatsAppSecrets: ReturnType<typeof whatsAppSecrets>;
  readonly twilioSecrets: ReturnType<typeof twilioSecrets>;
  /** Without a trailing slash. */
  readonly publicUrl: string;
}

export interface Call {
  /** "" for operators and for callers without a token. */
  readonly account: string;
  /** Undefined for operators, and if the token is optional and missing. */
  readonly credentials: Credentials | undefined;
  /** Undefined where the method has none. */
  readonly application: ApplicationView | undefined;
  /** "" without one (R-ER11). */
  readonly idempotencyKey: string;
  readonly pending: PendingRequest;
  /** Behind a proxy that is not trusted it is the proxy's. Never stored, logged or published. */
  readonly address: string;
}

/** @template Uses the members of the context that it reads */
export type Handler<M, Uses extends keyof Context = never> = (
  input: InputOf<M>,
  context: Pick<Context, Uses>,
  call: Call,
) => Promise<OutputOf<M>>;

export type Serves<Api> = {
  readonly [Name in keyof Api]: Handler<Api[Name], keyof Context>;
};
