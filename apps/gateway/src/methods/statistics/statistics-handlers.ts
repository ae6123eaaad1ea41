import type { statisticsMethods } from '@tidings/contract';
import type { Serves } from '../../context.ts';
import { getDeliveryFunnel } from './getDeliveryFunnel.ts';
import { messagesList } from './messagesList.ts';
import { totalsByIntervals } from './totalsByIntervals.ts';

export const statisticsHandlers = {
  messagesList,
  getDeliveryFunnel,
  totalsByIntervals,
} satisfies Serves<typeof statisticsMethods>;
