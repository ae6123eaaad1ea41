import { Bitmap } from '@tidings/kernel';
import type { InboxStages } from '../figures.ts';
import { noHours } from '../hour-sets.ts';

export const noInbox: InboxStages = {
  eligible: Bitmap.empty,
  excluded: new Map<string, never>(),
  reached: noHours,
  read: noHours,
  opened: noHours,
  entriesOpened: noHours,
};
