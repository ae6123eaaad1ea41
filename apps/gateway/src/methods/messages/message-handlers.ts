export { createEmailMessage } from './createEmailMessage.ts';
export { createKakaoMessage } from './createKakaoMessage.ts';
export { createLineMessage } from './createLineMessage.ts';
export { createMessage } from './createMessage.ts';
export { createSMSMessage } from './createSMSMessage.ts';
export { createTargetedMessage } from './createTargetedMessage.ts';
export { createWhatsAppMessage } from './createWhatsAppMessage.ts';
export { deleteMessage } from './deleteMessage.ts';
