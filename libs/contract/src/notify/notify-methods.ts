import { notify } from './notify.ts';

export const notifyMethods = {
  notify,
} as const;
