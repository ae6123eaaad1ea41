import type { SmppReceipt } from '@tidings/channels';
import type { SendBatch } from '@tidings/events';

/** A device of a batch. */
export interface SmsDevice {
  readonly batch: Pick<
    SendBatch,
    'message' | 'bucket' | 'messageId' | 'account' | 'application' | 'chunk' | 'platform'
  >;
  readonly position: number;
}

/** A part that an SMSC has accepted. */
export interface AcceptedPart extends SmsDevice {
  /** The account at the SMSC. */
  readonly bind: string;
  /** The SMSC's id of the part. */
  readonly id: string;
  /** The recipient. */
  readonly number: string;
  /** Parts of the message to the device. */
  readonly parts: number;
}

/** The durable memory of what SMSCs have accepted, by which receipts find their messages. */
export interface ReceiptStore {
  /** Stores accepted parts; resolves when a receipt will find them. */
  accepted(parts: readonly AcceptedPart[]): Promise<void>;
  /** Stores receipts and reports what they prove; resolves when the SMSC may forget them. */
  received(bind: string, receipts: readonly SmppReceipt[]): Promise<void>;
  /** Remembers that the first parts of a message are accepted: they are not sent again. */
  remember(device: SmsDevice, accepted: number): Promise<void>;
  /** The accepted parts of devices of the chunk of which some are, by position. */
  begun(batch: SmsDevice['batch']): Promise<ReadonlyMap<number, number>>;
  /** Applications with accepted parts that receipts may still come for. */
  expecting(): Promise<readonly string[]>;
}
