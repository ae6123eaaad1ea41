import { date, defineModel, flag, inDays, number, optional, text } from '@tidings/mongo';
import {
  type SmsPartDocument,
  type SmsProgressDocument,
  type SmsReceiptDocument,
  KEPT_RECEIPTS_MS,
} from './sms-receipts.ts';

const expiring = { name: 'expireAt', key: { expireAt: 1 }, expireAfterSeconds: 0 } as const;

export const smsPartsModel = defineModel<SmsPartDocument>({
  name: 'smsParts',
  retention: inDays(KEPT_RECEIPTS_MS),
  fields: {
    _id: text,
    message: text,
    messageId: number,
    account: text,
    application: text,
    seq: number,
    platform: number,
    device: optional(text),
    parts: number,
    delivered: optional(flag),
    expireAt: date,
  },
  indexes: [
    expiring,
    { name: 'device', key: { device: 1 }, partialFilterExpression: { device: { $exists: true } } },
    { name: 'application', key: { application: 1 } },
  ],
});

export const smsReceiptsModel = defineModel<SmsReceiptDocument>({
  name: 'smsReceipts',
  retention: `until its part is stored; without one ${inDays(KEPT_RECEIPTS_MS)}`,
  fields: { _id: text, delivered: flag, at: date, expireAt: date },
  indexes: [expiring],
});

export const smsProgressModel = defineModel<SmsProgressDocument>({
  name: 'smsProgress',
  retention: inDays(KEPT_RECEIPTS_MS),
  fields: { _id: text, accepted: number, expireAt: date },
  indexes: [expiring],
});
