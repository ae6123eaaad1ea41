import type { InputOf, OutputOf } from '@tidings/contract';
import type { Clock } from '@tidings/kernel';
import type {
  Accounts,
  ApplicationView,
  Devices,
  Messages,
  Providers,
  Presets,
  Segments,
  Geozones,
  Statistics,
  Subscriptions,
  Jobs,
} from '@tidings/rpc';
import type { AddressGuard } from '@tidings/runtime';
import type { Access } from './auth/access.ts';
import type { Credentials } from './auth/authorize.ts';
import type { CallerLimits } from './auth/caller-limits.ts';
import type { RateLimits } from './auth/rate-limits.ts';
import type { DeviceCommands } from './devices/device-commands.ts';
import type { ExportLinks } from './exports/links.ts';
import type { Reporter } from './devices/reporter.ts';
import type { PendingRequest } from './http/pending-requests.ts';
import type { System } from './system.ts';

/** What handlers act with: the services behind the gateway, and what stands in front of them. */
export interface Context {
  readonly accounts: Accounts;
  readonly devices: Devices;
  /** Commands to devices, grouped in front of {@link Context.devices}. */
  readonly deviceCommands: DeviceCommands;
  readonly presets: Presets;
  readonly segments: Segments;
  readonly geozones: Geozones;
  readonly jobs: Jobs;
  readonly messages: Messages;
  readonly statistics: Statistics;
  readonly subscriptions: Subscriptions;
  readonly reporter: Reporter;
  readonly access: Access;
  readonly rateLimits: RateLimits;
  /** Limits on creating test devices, which needs no token. */
  readonly testDeviceLimits: CallerLimits;
  readonly system: System;
  /** Every dispatcher process, as it is at the moment. */
  readonly dispatchers: () => readonly Providers[] | Promise<readonly Providers[]>;
  readonly clock: Clock;
  /** Which addresses that callers give may be sent to. */
  readonly addressGuard: AddressGuard;
  /** Domains that hand out throw-away addresses, subdomains understood (R-E4). */
  readonly disposableDomains: ReadonlySet<string>;
  readonly exportLinks: ExportLinks;
  /** Public address of the service's own links, without a slash at the end. */
  readonly publicUrl: string;
}

/** One call of a method by a caller that was found to be allowed. */
export interface Call {
  /** "" for operators and callers without a token, who have none. */
  readonly account: string;
  /** Undefined for operators, and where no token is demanded and none was given. */
  readonly credentials: Credentials | undefined;
  /** The application that the request names; undefined where its method has none. */
  readonly application: ApplicationView | undefined;
  /** Names this call of the method; "" without one (R-ER11). */
  readonly idempotencyKey: string;
  /** Its deadline, and what it holds until it is answered. */
  readonly pending: PendingRequest;
  /** The address that it came from. Behind a proxy it is the proxy's: what a header says of it could be anybody's word. */
  readonly address: string;
}

/** What an API method does: acts on its input and answers, or throws a Fault. */
export type Handler<M> = (input: InputOf<M>, context: Context, call: Call) => Promise<OutputOf<M>>;

/** A handler for every method of an API. */
export type Serves<Api> = {
  readonly [Name in keyof Api]: Handler<Api[Name]>;
};
