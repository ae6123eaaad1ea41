export { createKakaoMessage, createLineMessage, createSMSMessage, createWhatsAppMessage } from './contact-messages.ts';
export { createEmailMessage } from './createEmailMessage.ts';
export { createMessage } from './createMessage.ts';
export { createTargetedMessage } from './createTargetedMessage.ts';
export { deleteMessage } from './deleteMessage.ts';
