import type { DeviceAction, DeviceIdentity } from '@tidings/audience';

/** A command to a device's log. */
export interface DeviceLogCommand {
  readonly identity: DeviceIdentity;
  /** Id of its device. */
  readonly id: string;
  readonly action: DeviceAction;
  readonly at: Date;
  /** Id of the Idempotency-Key that it consumes (R-ER11). */
  readonly key?: string | undefined;
}

/** Entries of a bulk job in one log, decided together: one commit holds their effects and the batch's completion. */
export interface DeviceLogBatch {
  readonly account: string;
  readonly application: string;
  /** Remembers the outcome for a repeat of the batch. */
  readonly key: string;
  readonly at: Date;
  readonly items: readonly BatchItem[];
}

export interface BatchItem {
  /** Number of the entry in its batch. */
  readonly number: number;
  readonly command: DeviceLogCommand;
}

/** Entries of a batch that were not applied completely. */
export interface BatchOutcome {
  /** Numbers of the entries without a device, or with a blacklisted address to register. */
  readonly notFound: readonly number[];
  /** Numbers of tags that could not hold the result of an operation. */
  readonly invalidTags: readonly { readonly entry: number; readonly tags: readonly number[] }[];
}

export interface DeviceLogReply {
  readonly outcome?: BatchOutcome;
  /** tokenTaken: when the device registered the token itself, if that is later than the taker's registration. */
  readonly keptSince?: number | undefined;
}
