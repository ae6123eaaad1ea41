import { startLiveActivity } from './startLiveActivity.ts';
import { updateLiveActivity } from './updateLiveActivity.ts';

/** The methods of live activities. */
export const liveActivityMethods = {
  startLiveActivity,
  updateLiveActivity,
} as const;
