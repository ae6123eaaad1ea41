import type { DeviceAction, DeviceIdentity } from '@tidings/audience';

/** What the devices' logs are told. */
export interface DeviceLogCommand {
  readonly identity: DeviceIdentity;
  /** Id of the device that it is about. */
  readonly id: string;
  readonly action: DeviceAction;
  readonly at: Date;
  /** Id of the Idempotency-Key that it uses up (R-ER11). */
  readonly key?: string | undefined;
}

/** Entries of a bulk job in one log, decided together: one commit holds what becomes of them and that it was done. */
export interface DeviceLogBatch {
  readonly account: string;
  readonly application: string;
  /** Remembers the outcome for whoever asks for the same again. */
  readonly key: string;
  readonly at: Date;
  readonly items: readonly BatchItem[];
}

export interface BatchItem {
  /** Of the entry, in its batch. */
  readonly number: number;
  readonly command: DeviceLogCommand;
}

/** What of a batch is not simply done. */
export interface BatchOutcome {
  /** Numbers of the entries that met no device, or registered an address on the blacklist. */
  readonly notFound: readonly number[];
  /** Tags, by their numbers, that could not hold the result of an operation. */
  readonly invalidTags: readonly { readonly entry: number; readonly tags: readonly number[] }[];
}

export interface DeviceLogReply {
  readonly outcome?: BatchOutcome;
  /** tokenTaken: when the device registered the token itself, later than the taker. */
  readonly keptSince?: number | undefined;
}
