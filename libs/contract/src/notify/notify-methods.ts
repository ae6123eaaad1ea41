import { notify } from './notify.ts';

/** The newer messaging endpoint (Spec O). */
export const notifyMethods = {
  notify,
} as const;
