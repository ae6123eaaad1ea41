import { getDeliveryFunnel } from './getDeliveryFunnel.ts';
import { messagesList } from './messagesList.ts';

/** The methods of statistics. */
export const statisticsMethods = {
  messagesList,
  getDeliveryFunnel,
} as const;
