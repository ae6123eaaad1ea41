import type {
  ActivityTokenSet,
  DeviceEvent,
  DeviceKeys,
  DeviceOccurrence,
} from '@tidings/events/generated/tidings/events/v1/devices';
import type { TagWrite } from '../tags/operations.ts';
import type { Device, SelfReportedState } from './device.ts';

export interface NewToken {
  readonly text: string;
  readonly hash: string;
  /** Hashes with other forms of the domain: the address may be blacklisted under them. */
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
  /** undefined keeps the stored user, by default the hwid (R-RES3). */
  readonly user?: NewUser | undefined;
  readonly keys?: DeviceKeys | undefined;
  readonly writes: readonly TagWrite[];
  readonly onlyPlatform?: boolean;
}

export interface BeforeRegistration {
  /** Creates an unknown device (R-C7). @default it must exist */
  readonly platform?: number | undefined;
}

export type DeviceAction =
  | RegisterDevice
  | { readonly type: 'unregister'; readonly platform?: number | undefined }
  /** `lenient`: an impossible result refuses only its tag. */
  | ({ readonly type: 'setTags'; readonly writes: readonly TagWrite[]; readonly lenient?: true } & BeforeRegistration)
  /** Overrides a later time (R-C10). */
  | ({
      readonly type: 'open';
      readonly user?: NewUser | undefined;
      readonly writes: readonly TagWrite[];
    } & BeforeRegistration)
  /** `since`: as reported, or the start of the send. */
  | { readonly type: 'tokenRejected'; readonly token: string; readonly since: number }
  | { readonly type: 'tokenReplaced'; readonly token: string; readonly replacement: NewToken; readonly since: number }
  | {
      readonly type: 'addressRejected';
      readonly field: 'fcmToken' | 'startToken' | 'activityToken';
      readonly token: string;
    }
  | { readonly type: 'tokenTaken'; readonly platform: number; readonly token: string; readonly at: number }
  | { readonly type: 'addressTaken'; readonly token: string; readonly writes: readonly TagWrite[] }
  /** Writes to tags that the device has are left out. */
  | {
      readonly type: 'tagsInherited';
      readonly platform: number;
      readonly token: string;
      readonly writes: readonly TagWrite[];
    }
  /** The purge of the application redacts the events. */
  | { readonly type: 'erase'; readonly withApplication?: true }
  | { readonly type: 'setBadge'; readonly badge: number }
  | { readonly type: 'recordEvent'; readonly occurrence: DeviceOccurrence; readonly writes: readonly TagWrite[] }
  | ({ readonly type: 'bindUser'; readonly user: NewUser; readonly writes: readonly TagWrite[] } & BeforeRegistration)
  | { readonly type: 'setPushToStartToken'; readonly token: string | undefined }
  | { readonly type: 'setActivityToken'; readonly activity: ActivityTokenSet }
  /** "" = to nobody (R-X2). */
  | { readonly type: 'replaceOwner'; readonly from: string; readonly to: string }
  /** Uses up an Idempotency-Key (R-ER11). */
  | { readonly type: 'useKey' };

export interface SelfReportWrite {
  readonly id: string;
  readonly clear?: true;
  readonly set?: Partial<SelfReportedState>;
  readonly max?: Partial<Record<keyof SelfReportedState, number>>;
  readonly add?: Partial<Record<keyof SelfReportedState, number>>;
}

export interface DeviceDecision {
  readonly events: readonly DeviceEvent[];
  readonly selfReports: readonly SelfReportWrite[];
  /** The device registered the token later than its taker. */
  readonly keptSince?: number;
  readonly invalidTags?: readonly number[];
}

export interface HwidDevices {
  readonly own: Device | undefined;
  readonly siblings: readonly Device[];
}

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
