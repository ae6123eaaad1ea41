import { getDeliveryFunnel } from './getDeliveryFunnel.ts';
import { messagesList } from './messagesList.ts';
import { totalsByIntervals } from './totalsByIntervals.ts';

export const statisticsMethods = {
  messagesList,
  getDeliveryFunnel,
  totalsByIntervals,
} as const;
