import { BadgesAllotted, type ChunkPlanned, PlanEvent } from '@tidings/events';
import { type ChunkKey, type SendableKey, sliceCount, sliceSizeOf } from '@tidings/delivery';
import { Bitmap, seqOf } from '@tidings/kernel';
import type { Binary } from 'mongodb';
import { bytesOf } from '../../accounts/account-documents.ts';

/** The collection of plans. */
export const PLANS = 'plans';

/** The common fields of a message's events. */
export interface MessageIdentity {
  readonly message: string;
  readonly messageId: bigint;
  readonly account: string;
}

type EventCase = NonNullable<PlanEvent['event']>;

/** An event of a message in one of its chunks or applications. */
export const eventOf = (of: MessageIdentity, key: Omit<ChunkKey, 'chunk'>, at: Date, event: EventCase): PlanEvent => ({
  stamp: undefined,
  message: of.message,
  messageId: of.messageId,
  account: of.account,
  application: key.application,
  bucket: key.bucket,
  at,
  event,
});

/** The stored form of the events. */
export const planEventCodec = {
  encode: (event: PlanEvent): Uint8Array => PlanEvent.encode(event).finish(),
  decode: (bytes: Uint8Array): PlanEvent => PlanEvent.decode(bytes),
  isKnown: ({ event }: PlanEvent): boolean => event !== undefined,
};

/** Number of slices of a plan for a platform and variant. */
export interface SliceCount {
  readonly platform: number;
  readonly variant: string;
  readonly count: number;
}

export interface PlanState {
  readonly event: PlanEvent;
  readonly planned: ChunkPlanned;
  readonly settledAt?: Date;
  /** The devices of a counted plan that have failed so far, as an encoded bitmap. */
  readonly failed?: Uint8Array;
  readonly badges?: BadgesAllotted;
  /** The devices that have given back their badges so far, as an encoded bitmap. */
  readonly returned?: Uint8Array;
}

/** A stored plan; all fields except the event can be read separately. */
export interface PlanDocument {
  readonly _id: string;
  readonly event: Binary | Uint8Array;
  readonly slices: readonly SliceCount[];
  readonly named: boolean;
  readonly at: Date;
  readonly settledAt?: Date;
  /** The place in inboxes of a saved message: found by its chunk or, if the message names its recipients, by each of them. */
  readonly inbox?: InboxPlace;
  /** Whether the sends of the message count for frequency capping. */
  readonly counted?: boolean;
  readonly failed?: Binary | Uint8Array;
  /** The devices whose badges the message changes, as an encoded bitmap. */
  readonly badged?: Binary | Uint8Array;
  /** Of a message that changes badges; plans of 0.1.0 have none. */
  readonly badges?: Binary | Uint8Array;
  readonly returned?: Binary | Uint8Array;
}

/** The place of a plan's entries until they leave the inboxes. */
export interface InboxPlace {
  readonly app: string;
  readonly chunk?: number;
  readonly seqs?: readonly number[];
  readonly until: Date;
}

/** Names of the indexes, for hints. */
export const planIndexes = {
  /** { inbox.app, inbox.chunk, at } of broadcasts */
  inboxChunk: 'inbox_chunk',
  /** { inbox.app, inbox.seqs } of named recipients */
  inboxSeqs: 'inbox_seqs',
} as const;

/** The slices of a plan, by platform and variant. */
export function sliceCountsOf(planned: ChunkPlanned): SliceCount[] {
  const size = sliceSizeOf(planned);
  return planned.sendable.map(({ platform, variant, set }) => {
    return { platform, variant, count: sliceCount(Bitmap.decode(set).size, size) };
  });
}

function inboxPlaceOf(
  { application }: PlanEvent,
  { chunk, named, eligible, inbox }: ChunkPlanned,
): InboxPlace | undefined {
  if (!inbox) return undefined;
  const place = { app: application, until: new Date(Number(inbox.removal) * 1000) };
  if (!named) return { ...place, chunk };
  const seqs = eligible.flatMap(({ set }) => Array.from(Bitmap.decode(set).positions(), (at) => seqOf(chunk, at)));
  return { ...place, seqs };
}

/** The sendable sets of a plan. */
export const sendableKeys = (key: ChunkKey, of: readonly Pick<SliceCount, 'platform' | 'variant'>[]): SendableKey[] =>
  of.map(({ platform, variant }) => ({ ...key, platform, variant }));

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
  inbox: inboxPlaceOf(event, planned),
  ...(settledAt && { settledAt }),
  ...(planned.counted && { counted: true }),
  ...(failed && { failed }),
  ...(badges && { badged: badges.set, badges: BadgesAllotted.encode(badges).finish() }),
  ...(returned && { returned }),
});

const eventIn = ({ event }: PlanDocument): PlanEvent => planEventCodec.decode(bytesOf(event));

/** The plan in a stored document. */
export function plannedOf(stored: PlanDocument): ChunkPlanned {
  const { event } = eventIn(stored);
  if (event?.$case !== 'chunk') throw new Error(`${stored._id}: no plan in its document`);
  return event.value;
}

/** The badges of the plan in a stored document, if its message changes badges. */
export const badgesOf = ({ badges }: Pick<PlanDocument, 'badges'>): BadgesAllotted | undefined =>
  badges && BadgesAllotted.decode(bytesOf(badges));

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
