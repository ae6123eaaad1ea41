import { collectionsOfLogs, commitsKept } from '@tidings/event-store';
import { inDays, type KeptCollection } from '@tidings/mongo';
import {
  ACCOUNTS,
  ADDRESSES,
  APPLICATIONS,
  CAMPAIGNS,
  CLUSTERS,
  FILTERS,
  GEOZONES,
  GROUPS,
  PRESETS,
  TAGS,
  TEST_DEVICES,
  TOKENS,
  USAGE,
} from './accounts/account-log.ts';
import { ICONS, UNUSED_KEPT_MS } from './applications/icons.ts';
import { BATCH_LIFETIME_MS, KEY_LIFETIME_MS } from './devices/commands/device-decisions.ts';
import { DEVICES, KEYS } from './devices/storage/device-document.ts';
import { SEQUENCES } from './devices/storage/sequences.ts';
import { HIDDEN_KEPT_MS, KEPT_MS, LATE_MS, OUTGOING } from './fanout/release/outgoing.ts';
import { FANOUTS, PLANS } from './fanout/plan/plans.ts';
import { SLICE_STATUSES } from './fanout/settle/slice-statuses.ts';
import { COOLDOWNS, KEPT_SECONDS } from './geozones/visit-log.ts';
import { BUCKETS } from './tokens/buckets.ts';

const withTheMessage = `with the message; what is made of it later ${inDays(LATE_MS)} more`;
const withTheApplication = 'with the application';

/** The collections of the registry and the fan-out, each with its retention. */
export const collections: readonly KeptCollection[] = [
  ...collectionsOfLogs('accounts', commitsKept.asFigures),
  ...collectionsOfLogs('devices', commitsKept.asDetails),
  ...collectionsOfLogs('visits', commitsKept.asDetails),
  ...collectionsOfLogs('plans', commitsKept.asFigures),
  ...collectionsOfLogs('fanouts', commitsKept.asDetails),
  { name: ACCOUNTS, kept: 'for ever' },
  { name: APPLICATIONS, kept: 'for ever: of a deleted one its code, which is not given out again' },
  { name: TOKENS, kept: 'for ever: of a revoked one that it was' },
  { name: TAGS, kept: 'for ever: of a deleted one its number' },
  ...[CAMPAIGNS, PRESETS, FILTERS, GEOZONES, CLUSTERS].map((name) => ({
    name,
    kept: `until it is deleted; what is left of it goes ${withTheApplication}`,
  })),
  { name: GROUPS, kept: 'for ever' },
  { name: TEST_DEVICES, kept: withTheApplication },
  { name: USAGE, kept: withTheApplication },
  { name: ADDRESSES, kept: 'until an operator clears it' },
  { name: ICONS, kept: `${inDays(UNUSED_KEPT_MS)} after no application has it` },
  { name: DEVICES, kept: `until it is erased, its number ${withTheApplication}` },
  { name: SEQUENCES, kept: withTheApplication },
  { name: KEYS, kept: `${inDays(KEY_LIFETIME_MS)}, of batches ${inDays(BATCH_LIFETIME_MS)}` },
  { name: COOLDOWNS, kept: `as long as the zone's cooldown, at least ${inDays(KEPT_SECONDS * 1000)}` },
  { name: BUCKETS, kept: "until the token's limit is whole again" },
  { name: OUTGOING, kept: `${inDays(KEPT_MS)}, hidden messages ${inDays(HIDDEN_KEPT_MS)}` },
  ...[PLANS, FANOUTS, SLICE_STATUSES].map((name) => ({ name, kept: withTheMessage })),
  { name: 'leases', kept: 'one for each relay and each number of a process' },
];
