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

export interface DeviceLogReply {
  /** tokenTaken: when the device registered the token itself, later than the taker. */
  readonly keptSince?: number | undefined;
}
