import type { statisticsMethods } from '@tidings/contract';
import type { Serves } from '../../context.ts';
import { getDeliveryFunnel } from './getDeliveryFunnel.ts';
import { messagesList } from './messagesList.ts';

export const statisticsHandlers = {
  messagesList,
  getDeliveryFunnel,
} satisfies Serves<typeof statisticsMethods>;
