import type { DeviceAction, DeviceIdentity } from '@tidings/audience';

export interface DeviceLogCommand {
  readonly identity: DeviceIdentity;
  readonly id: string;
  readonly action: DeviceAction;
  readonly at: Date;
  readonly key?: string | undefined;
}

export interface DeviceLogBatch {
  readonly account: string;
  readonly application: string;
  readonly key: string;
  readonly at: Date;
  readonly items: readonly BatchItem[];
}

export interface BatchItem {
  readonly number: number;
  readonly command: DeviceLogCommand;
}

export interface BatchOutcome {
  readonly notFound: readonly number[];
  readonly invalidTags: readonly { readonly entry: number; readonly tags: readonly number[] }[];
}

export interface DeviceLogReply {
  readonly outcome?: BatchOutcome;
  /** tokenTaken: the device's own later registration of the token. */
  readonly keptSince?: number | undefined;
}
