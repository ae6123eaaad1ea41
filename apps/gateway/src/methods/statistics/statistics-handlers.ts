export { getDeliveryFunnel } from './getDeliveryFunnel.ts';
export { messagesList } from './messagesList.ts';
export { totalsByIntervals } from './totalsByIntervals.ts';
