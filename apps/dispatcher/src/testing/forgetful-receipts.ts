import type { ReceiptStore } from '../channels/sms/receipt-store.ts';

export const forgetfulReceipts: ReceiptStore = {
  accepted: async () => undefined,
  received: async () => undefined,
  remember: async () => undefined,
  begun: async () => new Map(),
  expecting: async () => [],
};
