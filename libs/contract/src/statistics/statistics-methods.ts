import { getDeliveryFunnel } from './getDeliveryFunnel.ts';
import { messagesList } from './messagesList.ts';
import { totalsByIntervals } from './totalsByIntervals.ts';

/** The methods of statistics. */
export const statisticsMethods = {
  messagesList,
  getDeliveryFunnel,
  totalsByIntervals,
} as const;
