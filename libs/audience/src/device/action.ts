import type {
  ActivityTokenSet,
  DeviceEvent,
  DeviceKeys,
  DeviceOccurrence,
} from '@tidings/events/generated/tidings/events/v1/devices';
import type { TagWrite } from '../tags/operations.ts';
import type { Device, SelfReportedState } from './device.ts';

export interface NewToken {
  /** The token as it is stored: in lower case on iOS. */
  readonly text: string;
  readonly hash: string;
  /** Hashes of the other forms of an e-mail contact's domain, under which its address may be on the blacklist, too. */
  readonly formerHashes?: readonly string[];
}

export interface NewUser {
  readonly id: string;
  readonly hash: string;
}

export interface RegisterDevice {
  readonly type: 'register';
  readonly platform: number;
  /** null removes the stored token; undefined keeps it (R-C1). */
  readonly token?: NewToken | null | undefined;
  /** undefined keeps the stored user; a new device has its hwid as user (R-RES3). */
  readonly user?: NewUser | undefined;
  readonly keys?: DeviceKeys | undefined;
  readonly writes: readonly TagWrite[];
  /** Refuses a device that is stored with another platform. */
  readonly onlyPlatform?: boolean;
}

/** An action that is allowed before the registration. */
export interface BeforeRegistration {
  /** Creates a record of this platform, without a token, if there is no device yet (R-C7). @default the device must exist */
  readonly platform?: number | undefined;
}

/** An action on a device. Values were parsed against the account's tags, without the invalid ones of a registration (R-C3). */
export type DeviceAction =
  | RegisterDevice
  | { readonly type: 'unregister'; readonly platform?: number | undefined }
  /** A tag that cannot hold the result of its operation refuses the whole action, or with `lenient` only itself. */
  | ({ readonly type: 'setTags'; readonly writes: readonly TagWrite[]; readonly lenient?: true } & BeforeRegistration)
  /** applicationOpen: stores the given fields (R-C10); it overrides a later time that a client had set. */
  | ({
      readonly type: 'open';
      readonly user?: NewUser | undefined;
      readonly writes: readonly TagWrite[];
    } & BeforeRegistration)
  /** The provider reported the token as dead; `since` = since when, or the start of the send. */
  | { readonly type: 'tokenRejected'; readonly token: string; readonly since: number }
  /** The provider has another token for the device than the one that a push was sent to. */
  | { readonly type: 'tokenReplaced'; readonly token: string; readonly replacement: NewToken; readonly since: number }
  /** The provider reported another address as dead. */
  | {
      readonly type: 'addressRejected';
      readonly field: 'fcmToken' | 'startToken' | 'activityToken';
      readonly token: string;
    }
  /** Another device of the application registered the token at `at`. */
  | { readonly type: 'tokenTaken'; readonly platform: number; readonly token: string; readonly at: number }
  /** The e-mail contact has taken its address from other contacts, whose unsubscribes follow the address (R-E14). */
  | { readonly type: 'addressTaken'; readonly token: string; readonly writes: readonly TagWrite[] }
  /** deleteDevice: erases all data of the device; its number is never reused (R-C8). */
  /** With its application: whoever purges that redacts the device's events. */
  | { readonly type: 'erase'; readonly withApplication?: true }
  /** The base of relative badges (R-C9). */
  | { readonly type: 'setBadge'; readonly badge: number }
  /** A purchase or an event; tags that cannot hold its values stay unchanged (R-C12). */
  | { readonly type: 'recordEvent'; readonly occurrence: DeviceOccurrence; readonly writes: readonly TagWrite[] }
  | ({ readonly type: 'bindUser'; readonly user: NewUser; readonly writes: readonly TagWrite[] } & BeforeRegistration)
  | { readonly type: 'setPushToStartToken'; readonly token: string | undefined }
  | { readonly type: 'setActivityToken'; readonly activity: ActivityTokenSet }
  /** mergeUser: the inbox entries of a user, by hash, become another user's, or nobody's with "" (R-X2). */
  | { readonly type: 'replaceOwner'; readonly from: string; readonly to: string }
  /** No effect: the command uses up its Idempotency-Key in this device's log (R-ER11). */
  | { readonly type: 'useKey' };

/** Self-reported state to write for the device with this id. */
export interface SelfReportWrite {
  readonly id: string;
  /** Removes all earlier self-reported state. */
  readonly clear?: true;
  readonly set?: Partial<SelfReportedState>;
  readonly max?: Partial<Record<keyof SelfReportedState, number>>;
  readonly add?: Partial<Record<keyof SelfReportedState, number>>;
}

export interface DeviceDecision {
  readonly events: readonly DeviceEvent[];
  readonly selfReports: readonly SelfReportWrite[];
  /** tokenTaken: the device registered the token later than the taking one, so it keeps the token, and the other one loses it. */
  readonly keptSince?: number;
  /** Numbers of the tags that a lenient setTags did not change. */
  readonly invalidTags?: readonly number[];
}

/** The devices with one hwid in an account. */
export interface HwidDevices {
  /** The device of the command. */
  readonly own: Device | undefined;
  /** The devices with the same hwid in other applications. */
  readonly siblings: readonly Device[];
}

/** The platform that an action registers an unknown device with; undefined if it registers none. */
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
