import type {
  ActivityTokenSet,
  DeviceEvent,
  DeviceKeys,
  DeviceOccurrence,
} from '@tidings/events/generated/tidings/events/v1/devices';
import type { TagWrite } from '../tags/operations.ts';
import type { Device, SelfReportedState } from './device.ts';

export interface NewToken {
  /** As it is stored: lower case on iOS. */
  readonly text: string;
  readonly hash: string;
}

export interface NewUser {
  readonly id: string;
  readonly hash: string;
}

export interface RegisterDevice {
  readonly type: 'register';
  readonly platform: number;
  /** null removes the stored one; undefined keeps it (R-C1). */
  readonly token?: NewToken | null | undefined;
  /** undefined keeps the stored one; a new device has its hwid (R-RES3). */
  readonly user?: NewUser | undefined;
  readonly keys?: DeviceKeys | undefined;
  readonly writes: readonly TagWrite[];
}

/** What a device may do before it is registered. */
export interface BeforeRegistration {
  /** Makes a record of this platform, without a token, where there is no device yet (R-C7). @default the device must be there */
  readonly platform?: number | undefined;
}

/** What happens to a device. Values were parsed against the account's tags; those that a registration got wrong are not among them (R-C3). */
export type DeviceAction =
  | RegisterDevice
  | { readonly type: 'unregister' }
  /** A tag that cannot hold the result of its operation refuses all, or with `lenient` itself alone. */
  | ({ readonly type: 'setTags'; readonly writes: readonly TagWrite[]; readonly lenient?: true } & BeforeRegistration)
  /** applicationOpen: fields sent along are stored (R-C10), and a later time that a client had written gives way. */
  | ({
      readonly type: 'open';
      readonly user?: NewUser | undefined;
      readonly writes: readonly TagWrite[];
    } & BeforeRegistration)
  /** The provider called the token dead; `since` = when it learnt of that, or the send began. */
  | { readonly type: 'tokenRejected'; readonly token: string; readonly since: number }
  /** Another device of the application registered the token at `at`. */
  | { readonly type: 'tokenTaken'; readonly platform: number; readonly token: string; readonly at: number }
  /** deleteDevice: what is known of the device is forgotten, and its number is never given out again (R-C8). */
  | { readonly type: 'erase' }
  /** The base of relative badges (R-C9). */
  | { readonly type: 'setBadge'; readonly badge: number }
  /** A purchase or an event; tags that cannot hold what is written of it stay as they are (R-C12). */
  | { readonly type: 'recordEvent'; readonly occurrence: DeviceOccurrence; readonly writes: readonly TagWrite[] }
  | ({ readonly type: 'bindUser'; readonly user: NewUser; readonly writes: readonly TagWrite[] } & BeforeRegistration)
  | { readonly type: 'setPushToStartToken'; readonly token: string | undefined }
  | { readonly type: 'setActivityToken'; readonly activity: ActivityTokenSet }
  /** Nothing: the command is there for its Idempotency-Key, which is used up in this device's log (R-ER11). */
  | { readonly type: 'useKey' };

/** What is written beside the log for the device of this id. */
export interface SelfReportWrite {
  readonly id: string;
  /** Removes all that was reported before. */
  readonly clear?: true;
  readonly set?: Partial<SelfReportedState>;
  readonly max?: Partial<Record<keyof SelfReportedState, number>>;
}

export interface DeviceDecision {
  readonly events: readonly DeviceEvent[];
  readonly selfReports: readonly SelfReportWrite[];
  /** tokenTaken: the device registered the token later than the one that took it, so it stays, and is taken from the other instead. */
  readonly keptSince?: number;
  /** Numbers of the tags that a lenient setTags left alone. */
  readonly invalidTags?: readonly number[];
}

/** A person's devices in one account. */
export interface Person {
  /** The one that the command is about. */
  readonly own: Device | undefined;
  /** Those of the same hwid in other applications. */
  readonly siblings: readonly Device[];
}

/** The platform that an action registers an unknown device with; undefined where it registers none. */
export function newPlatformIn(action: DeviceAction): number | undefined {
  switch (action.type) {
    case 'register':
    case 'setTags':
    case 'open':
    case 'bindUser':
      return action.platform;
    default:
      return undefined;
  }
}

export const nothing: DeviceDecision = { events: [], selfReports: [] };
