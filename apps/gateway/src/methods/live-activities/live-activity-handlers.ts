import type { liveActivityMethods } from '@tidings/contract';
import type { Serves } from '../../context.ts';
import { startLiveActivity } from './startLiveActivity.ts';
import { updateLiveActivity } from './updateLiveActivity.ts';

export const liveActivityHandlers = {
  startLiveActivity,
  updateLiveActivity,
} satisfies Serves<typeof liveActivityMethods>;
