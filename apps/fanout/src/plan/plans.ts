import { BadgesAllotted, type ChunkPlanned, type PlanEvent } from '@tidings/events';
import { type ChunkKey, type RecipientSetKey, sliceCount, sliceSizeOf } from '@tidings/delivery';
import { Bitmap, seqOf } from '@tidings/kernel';
import { bytesOf } from '@tidings/mongo';
import {
  badgesOf,
  eventIn,
  type InboxScope,
  type PlanDocument,
  planEventCodec,
  plannedOf,
  type SliceCount,
} from '@tidings/registry-store';

export interface PlanState {
  readonly event: PlanEvent;
  readonly planned: ChunkPlanned;
  readonly settledAt?: Date;
  readonly failed?: Uint8Array;
  readonly badges?: BadgesAllotted;
  readonly returned?: Uint8Array;
}

export function sliceCountsOf(planned: ChunkPlanned): SliceCount[] {
  const size = sliceSizeOf(planned);
  return planned.sendable.map(({ platform, variant, set }) => {
    return { platform, variant, count: sliceCount(Bitmap.decode(set).size, size) };
  });
}

function inboxIndexOf(
  { application }: PlanEvent,
  { chunk, named, eligible, inbox }: ChunkPlanned,
): InboxScope | undefined {
  if (!inbox) return undefined;
  const common = { app: application, until: new Date(Number(inbox.removal) * 1000) };
  if (!named) return { ...common, chunk };
  const seqs = eligible.flatMap(({ set }) => Array.from(Bitmap.decode(set).positions(), (at) => seqOf(chunk, at)));
  return { ...common, seqs };
}

export const recipientSetKeys = (
  key: ChunkKey,
  of: readonly Pick<SliceCount, 'platform' | 'variant'>[],
): RecipientSetKey[] => of.map(({ platform, variant }) => ({ ...key, platform, variant }));

export function evolvePlan(state: PlanState | undefined, event: PlanEvent): PlanState {
  if (event.event?.$case === 'chunk') return { event, planned: event.event.value };
  if (!state) throw new Error(`plans: cannot apply ${event.event?.$case}`);
  switch (event.event?.$case) {
    case 'settled':
      return { ...state, settledAt: event.at! };
    case 'sendsFailed': {
      const before = state.failed ? Bitmap.decode(state.failed) : Bitmap.empty;
      return { ...state, failed: before.union(Bitmap.decode(event.event.value.set)).encode() };
    }
    case 'badgesAllotted':
      return { ...state, badges: event.event.value };
    case 'badgesSettled': {
      if (event.event.value.failed.length === 0) return state;
      const before = state.returned ? Bitmap.decode(state.returned) : Bitmap.empty;
      return { ...state, returned: before.union(Bitmap.decode(event.event.value.failed)).encode() };
    }
    case 'fanout':
    case undefined:
      throw new Error(`plans: cannot apply ${event.event?.$case}`);
  }
}

export const planDocument = ({ event, planned, settledAt, failed, badges, returned }: PlanState) => ({
  event: planEventCodec.encode(event),
  slices: sliceCountsOf(planned),
  named: planned.named,
  at: event.at,
  inbox: inboxIndexOf(event, planned),
  ...(settledAt && { settledAt }),
  ...(planned.counted && { counted: true }),
  ...(failed && { failed }),
  ...(badges && { badged: badges.set, badges: BadgesAllotted.encode(badges).finish() }),
  ...(returned && { returned }),
});

export function planStateOf(stored: PlanDocument): PlanState {
  const { settledAt, failed, returned } = stored;
  const badges = badgesOf(stored);
  return {
    event: eventIn(stored),
    planned: plannedOf(stored),
    ...(settledAt && { settledAt }),
    ...(failed && { failed: bytesOf(failed) }),
    ...(badges && { badges }),
    ...(returned && { returned: bytesOf(returned) }),
  };
}
