export { acceptMessages } from './accept-messages.ts';
export { messageContent } from './message-content.ts';
