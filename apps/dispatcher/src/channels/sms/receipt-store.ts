import type { SmppReceipt } from '@tidings/channels';
import type { SendBatch } from '@tidings/events';

export interface SmsDevice {
  readonly batch: Pick<
    SendBatch,
    'message' | 'bucket' | 'messageId' | 'account' | 'application' | 'chunk' | 'platform'
  >;
  readonly position: number;
}

export interface AcceptedPart extends SmsDevice {
  readonly bind: string;
  readonly id: string;
  readonly number: string;
  readonly parts: number;
}

export interface ReceiptStore {
  /** Resolves when a receipt will find the parts. */
  accepted(parts: readonly AcceptedPart[]): Promise<void>;
  /** Resolves when the SMSC may forget the receipts. */
  received(bind: string, receipts: readonly SmppReceipt[]): Promise<void>;
  saveProgress(device: SmsDevice, accepted: number): Promise<void>;
  progressOf(batch: SmsDevice['batch']): Promise<ReadonlyMap<number, number>>;
  expecting(): Promise<readonly string[]>;
}
