import type { KeyObject } from 'node:crypto';
import type { InputOf, OutputOf } from '@tidings/contract';
import type { Clock } from '@tidings/kernel';
import type { ApplicationView, Providers, RpcServices } from '@tidings/rpc';
import type { AddressGuard, GeoipLocation, Logger } from '@tidings/runtime';
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

export type GatewayServices = Omit<RpcServices, 'providers' | 'sentValues'>;

export interface Context extends GatewayServices {
  readonly deviceCommands: DeviceCommands;
  readonly reporter: Reporter;
  readonly access: Access;
  readonly rateLimits: RateLimits;
  readonly testDeviceLimits: CallerLimits;
  readonly inboxLimits: UserLimits;
  readonly websiteLimits: CallerLimits;
  readonly visitorKey: () => KeyObject;
  readonly mailLinks: MailLinkReader;
  readonly recipientLimits: CallerLimits;
  readonly system: System;
  readonly dispatchers: () => readonly Providers[] | Promise<readonly Providers[]>;
  readonly broker: Pick<Broker, 'addTopic' | 'subscribe'>;
  readonly storage?: { admit(): void } | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  readonly addressGuard: AddressGuard;
  readonly clients: ClientAddresses;
  readonly locate: (address: string) => GeoipLocation | undefined;
  readonly disposableDomains: ReadonlySet<string>;
  readonly exportLinks: ExportLinks;
  readonly whatsAppSecrets: ReturnType<typeof whatsAppSecrets>;
  readonly twilioSecrets: ReturnType<typeof twilioSecrets>;
  readonly publicUrl: string;
}

export interface Call {
  readonly account: string;
  readonly credentials: Credentials | undefined;
  readonly application: ApplicationView | undefined;
  readonly idempotencyKey: string;
  readonly pending: PendingRequest;
  /** Never stored, logged or published. */
  readonly address: string;
}

export type Handler<M, Uses extends keyof Context = never> = (
  input: InputOf<M>,
  context: Pick<Context, Uses>,
  call: Call,
) => Promise<OutputOf<M>>;

export type Serves<Api> = {
  readonly [Name in keyof Api]: Handler<Api[Name], keyof Context>;
};
