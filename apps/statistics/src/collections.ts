import { inDays, type KeptCollection } from '@tidings/mongo';
import { HIDDEN_KEPT_MS, KEPT_MS } from './message-facts.ts';
import { KEPT_MS as GROUPS_KEPT_MS } from './stage-store.ts';

/** The collections of statistics, each with its retention. */
export const collections: readonly KeptCollection[] = [
  { name: 'messages', kept: `${inDays(KEPT_MS)}, hidden ones ${inDays(HIDDEN_KEPT_MS)}` },
  { name: 'groups', kept: `with the message; without one ${inDays(GROUPS_KEPT_MS)}` },
];
