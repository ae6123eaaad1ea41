export { startLiveActivity } from './startLiveActivity.ts';
export { updateLiveActivity } from './updateLiveActivity.ts';
