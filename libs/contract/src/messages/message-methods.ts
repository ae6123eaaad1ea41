import { createLineMessage } from './createLineMessage.ts';
import { createKakaoMessage } from './createKakaoMessage.ts';
import { createEmailMessage } from './createEmailMessage.ts';
import { createMessage } from './createMessage.ts';
import { createSMSMessage } from './createSMSMessage.ts';
import { createTargetedMessage } from './createTargetedMessage.ts';
import { createWhatsAppMessage } from './createWhatsAppMessage.ts';
import { deleteMessage } from './deleteMessage.ts';

export const messageMethods = {
  createLineMessage,
  createKakaoMessage,
  createEmailMessage,
  createMessage,
  createSMSMessage,
  createTargetedMessage,
  createWhatsAppMessage,
  deleteMessage,
} as const;
