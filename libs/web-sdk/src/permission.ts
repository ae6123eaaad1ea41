import { failure } from './failure.ts';

export const hasWebPush = (): boolean =>
  'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis;

/** Asks the visitor, unless there is an answer. Call it before anything is awaited: the gesture ends with that. */
export async function requestPermission(): Promise<void> {
  if (!hasWebPush()) {
    throw failure('unsupported', 'This browser has no web push, or the page is not loaded by https.');
  }
  if (Notification.permission === 'default' && navigator.userActivation?.isActive === false) {
    throw failure('gesture', 'Call subscribe from a click of the visitor.');
  }
  if ((await Notification.requestPermission()) !== 'granted') {
    throw failure('blocked', 'The visitor does not allow notifications.');
  }
}
