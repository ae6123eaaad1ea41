import type { ReceiptStore } from '../channels/sms/receipt-store.ts';

/** A store of what SMSCs have accepted that keeps nothing: receipts find no message. */
export const forgetfulReceipts: ReceiptStore = {
  accepted: async () => undefined,
  received: async () => undefined,
  remember: async () => undefined,
  begun: async () => new Map(),
  expecting: async () => [],
};
