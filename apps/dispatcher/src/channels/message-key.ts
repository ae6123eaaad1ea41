import type { SendBatch } from '@tidings/events';
import { type MessageKey, messageKeyOf } from '@tidings/messaging';
import type { KeyObject } from 'node:crypto';

/** The key that signs the statistics hashes of a batch's devices. */
export const keyOfBatch = (
  reportKey: KeyObject,
  { application, message: code, messageId, campaignId }: SendBatch,
): MessageKey => messageKeyOf(reportKey, application, { code, messageId, campaignId });
