import { startLiveActivity } from './startLiveActivity.ts';
import { updateLiveActivity } from './updateLiveActivity.ts';

export const liveActivityMethods = {
  startLiveActivity,
  updateLiveActivity,
} as const;
