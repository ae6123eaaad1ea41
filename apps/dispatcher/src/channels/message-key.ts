import type { SendBatch } from '@tidings/events';
import { type MessageKey, messageKeyOf } from '@tidings/messaging';
import type { KeyObject } from 'node:crypto';

export const keyOfBatch = (
  reportKey: KeyObject,
  { application, message: code, messageId, campaignId }: SendBatch,
): MessageKey => messageKeyOf(reportKey, application, { code, messageId, campaignId });
