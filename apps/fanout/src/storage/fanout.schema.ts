import { defineStates } from '@tidings/event-store';
import {
  bytes,
  date,
  defineModel,
  inDays,
  list,
  mixed,
  type ModelDefinition,
  number,
  object,
  optional,
  record,
  text,
} from '@tidings/mongo';
import {
  BADGE_BLOCKS,
  COUNTED_PAGES,
  type CountedPageDocument,
  FANOUTS,
  type FanoutState,
  outgoingModel,
  plansModel,
  type StoredSends,
  withTheMessage,
} from '@tidings/registry-store';
import type { BadgeBlockDocument } from '../plan/badge-blocks.ts';
import { COUNTED_KEPT_MS } from '../plan/counted-pages.ts';
import { PLANNED_DEVICES, type PlannedDevicesDocument } from '../plan/planned-devices.ts';
import { SLICE_STATUSES, type SliceStatusesDocument } from '../emit/slice-statuses.ts';

export const fanoutsModel = defineStates<FanoutState>({
  name: FANOUTS,
  retention: withTheMessage,
  fields: { chunks: list(number), at: date },
});

export const countedPagesModel = defineStates<CountedPageDocument>({
  name: COUNTED_PAGES,
  retention: inDays(COUNTED_KEPT_MS),
  fields: {
    day: number,
    sends: list(object<StoredSends>({ from: number, to: number, digits: list(bytes) })),
  },
  indexes: [{ name: 'day', key: { day: 1 } }],
});

export const badgeBlocksModel = defineStates<BadgeBlockDocument>({
  name: BADGE_BLOCKS,
  retention: 'with the application',
  fields: { rows: bytes },
});

export const plannedDevicesModel = defineStates<PlannedDevicesDocument>({
  name: PLANNED_DEVICES,
  retention: withTheMessage,
  fields: { devices: bytes },
});

export const sliceStatusesModel = defineModel<SliceStatusesDocument>({
  name: SLICE_STATUSES,
  retention: withTheMessage,
  fields: {
    _id: text,
    emitted: optional(record(mixed)),
    deferred: optional(record(number)),
    settled: optional(record(number)),
  },
});

export const fanoutModels: readonly ModelDefinition[] = [
  outgoingModel,
  plansModel,
  countedPagesModel,
  badgeBlocksModel,
  plannedDevicesModel,
  fanoutsModel,
  sliceStatusesModel,
];
