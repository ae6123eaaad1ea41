import { type DocumentAddress, fieldsOf, type LogDefinition, type StateView } from '@tidings/event-store';
import { type ChunkPlanned, PlanEvent } from '@tidings/events';
import {
  type Candidates,
  type ChunkKey,
  type CountedPage,
  devicesAtCap,
  type FrequencyCap,
  planChunk,
  planId,
  type PlanRules,
  type SendableKey,
  sliceCount,
  sliceSizeOf,
} from '@tidings/delivery';
import { Bitmap, seqOf } from '@tidings/kernel';
import type { Binary } from 'mongodb';
import { bytesOf } from '../../accounts/account-documents.ts';
import {
  COUNTED_PAGES,
  countedPage,
  type CountedPageDocument,
  countedPageDocument,
  pageAt,
  pageOfEvent,
  pageWith,
  pagesOf,
} from './counted-pages.ts';
import {
  PLANNED_DEVICES,
  type PlannedDevices,
  plannedDevices,
  plannedDevicesAt,
  type PlannedDevicesDocument,
  plannedDevicesDocument,
  plannedDevicesOfEvent,
  withPlanned,
} from './planned-devices.ts';

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
}

/** The states of the logs: plans, the counted sends of the chunk, and the planned devices of messages with a local time. */
type PlansState = PlanState | CountedPage | PlannedDevices;

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

export type PlanCommand =
  | {
      readonly kind: 'plan';
      readonly of: MessageIdentity;
      readonly key: ChunkKey;
      readonly candidates: Candidates;
      readonly rules: PlanRules;
      /** The cap of the message, or of its application; undefined = none, or it does not apply (R-I12). */
      readonly capping: FrequencyCap | undefined;
      /** The chunk is the only one of the message in its application: the split is committed with the plan. */
      readonly isOnly: boolean;
    }
  | {
      readonly kind: 'fail';
      readonly of: MessageIdentity;
      readonly key: ChunkKey;
      /** Devices that failed finally; some may have been reported before. */
      readonly failed: Bitmap;
      readonly plannedAt: Date;
      readonly at: Date;
    }
  | { readonly kind: 'settle'; readonly of: MessageIdentity; readonly key: ChunkKey; readonly at: Date };

/** The valid plan, and whether this command made it; undefined if a plan to settle does not exist. */
export type PlanReply = { readonly planned: ChunkPlanned; readonly fresh: boolean } | undefined;

const planAt = (key: ChunkKey): DocumentAddress => ({ collection: PLANS, id: planId(key) });

/** The log of a chunk's plans. */
export const planLogOf = ({ application, chunk }: Pick<ChunkKey, 'application' | 'chunk'>): string =>
  `plans-${application}-${chunk}`;

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

function settled(of: MessageIdentity, key: ChunkKey, at: Date): PlanEvent {
  return eventOf(of, key, at, { $case: 'settled', value: { chunk: key.chunk } });
}

/** Plans a chunk, without the devices that have reached the cap in the state of the log (R-I12). */
function planned(
  { key, candidates, capping, ...command }: Extract<PlanCommand, { kind: 'plan' }>,
  view: View,
): ChunkPlanned {
  const before = command.rules.once && (view.get(plannedDevicesAt(key)) as PlannedDevices | undefined);
  const rules = before ? { ...command.rules, earlier: before.devices } : command.rules;
  if (!capping) return planChunk(candidates, rules);
  const at = rules.at.getTime();
  const pages = pagesOf(key, capping, at).map((page) => (view.get(page) as CountedPage | undefined) ?? { sends: [] });
  const devices = candidates.positions.subarray(0, candidates.count);
  return planChunk(candidates, { ...rules, capped: devicesAtCap(devices, pages, capping, at) });
}

/** The devices of a counted plan that have failed and were not reported before. */
function newlyFailed({ planned, failed }: PlanState, reported: Bitmap): Bitmap {
  if (!planned.counted) return Bitmap.empty;
  const sent = Bitmap.union(planned.sendable.map(({ set }) => Bitmap.decode(set)));
  return reported.intersect(sent).minus(failed ? Bitmap.decode(failed) : Bitmap.empty);
}

type View = StateView<PlansState>;

const planIn = (view: View, key: ChunkKey): PlanState | undefined => view.get(planAt(key)) as PlanState | undefined;

function needsOf(command: PlanCommand): DocumentAddress[] {
  const { key } = command;
  const plan = planAt(key);
  switch (command.kind) {
    case 'plan': {
      const { at, counted, once } = command.rules;
      const own = [plan, ...(once ? [plannedDevicesAt(key)] : [])];
      if (command.capping) return [...own, ...pagesOf(key, command.capping, at.getTime())];
      return counted ? [...own, pageAt(key, at.getTime())] : own;
    }
    case 'fail':
      return [plan, pageAt(key, command.plannedAt.getTime())];
    case 'settle':
      return [plan];
  }
}

function evolvePlan(state: PlanState | undefined, event: PlanEvent): PlanState {
  if (event.event?.$case === 'chunk') return { event, planned: event.event.value };
  if (!state) throw new Error(`plans: cannot apply ${event.event?.$case}`);
  switch (event.event?.$case) {
    case 'settled':
      return { ...state, settledAt: event.at! };
    case 'sendsFailed': {
      const before = state.failed ? Bitmap.decode(state.failed) : Bitmap.empty;
      return { ...state, failed: before.union(Bitmap.decode(event.event.value.set)).encode() };
    }
    case 'fanout':
    case undefined:
      throw new Error(`plans: cannot apply ${event.event?.$case}`);
  }
}

/**
 * The plans of messages, decided once per message and chunk, in a log per chunk (sending 2). The log has the sends that count for frequency capping, too:
 * plans that are made at the same time see each other.
 */
export const plansLog: LogDefinition<PlanCommand, PlanEvent, PlansState, PlanReply> = {
  category: 'plans',
  needs: (command) => ({ ids: needsOf(command) }),
  decide(command, view) {
    const { of, key } = command;
    const state = planIn(view, key);
    const reply = state && { planned: state.planned, fresh: false };
    if (command.kind === 'settle') {
      return { events: state && !state.settledAt ? [settled(of, key, command.at)] : [], reply };
    }
    if (command.kind === 'fail') {
      const { failed, plannedAt, at } = command;
      const set = state ? newlyFailed(state, failed) : Bitmap.empty;
      const value = { chunk: key.chunk, set: Buffer.from(set.encode()), plannedAt };
      return { events: set.size > 0 ? [eventOf(of, key, at, { $case: 'sendsFailed', value })] : [], reply };
    }
    const { at } = command.rules;
    if (state) return { events: [], reply };
    const events: PlanEvent[] = [];
    if (command.isOnly) events.push(eventOf(of, key, at, { $case: 'fanout', value: { chunks: [key.chunk] } }));
    const plan = planned(command, view);
    events.push(eventOf(of, key, at, { $case: 'chunk', value: plan }));
    // A plan without slices is settled at once.
    if (plan.sendable.length === 0) events.push(settled(of, key, at));
    return { events, reply: { planned: plan, fresh: true } };
  },
  addresses: (of) => {
    const { event } = of;
    // A split that is committed with its plan follows from the recipients of the message.
    if (event === undefined || event.$case === 'fanout') return [];
    const plan = planAt({ ...of, chunk: event.value.chunk });
    return [plan, pageOfEvent(of), plannedDevicesOfEvent(of)].filter((address) => address !== undefined);
  },
  evolve(state, event, { collection }) {
    switch (collection) {
      case COUNTED_PAGES:
        return pageWith(state as CountedPage | undefined, event);
      case PLANNED_DEVICES:
        return withPlanned(state as PlannedDevices | undefined, event);
      default:
        return evolvePlan(state as PlanState | undefined, event);
    }
  },
  ...planEventCodec,
  toDocument(state, { id }) {
    if ('devices' in state) return { ...plannedDevicesDocument(state) };
    return 'sends' in state ? { ...countedPageDocument(state, id) } : planDocument(state);
  },
  fields: {
    [PLANS]: fieldsOf<PlanDocument>({
      ...{ event: true, slices: true, named: true, at: true, settledAt: true, inbox: true },
      ...{ counted: true, failed: true },
    }),
    [COUNTED_PAGES]: fieldsOf<CountedPageDocument>({ day: true, sends: true }),
    [PLANNED_DEVICES]: fieldsOf<PlannedDevicesDocument>({ devices: true }),
  },
  fromDocument(document, { collection }) {
    if (collection === COUNTED_PAGES) return countedPage(document as unknown as CountedPageDocument);
    if (collection === PLANNED_DEVICES) return plannedDevices(document as unknown as PlannedDevicesDocument);
    const stored = document as unknown as PlanDocument;
    const { settledAt, failed } = stored;
    return {
      ...{ event: eventIn(stored), planned: plannedOf(stored) },
      ...(settledAt && { settledAt }),
      ...(failed && { failed: bytesOf(failed) }),
    };
  },
};

const planDocument = ({ event, planned, settledAt, failed }: PlanState) => ({
  event: planEventCodec.encode(event),
  slices: sliceCountsOf(planned),
  named: planned.named,
  at: event.at,
  inbox: inboxPlaceOf(event, planned),
  ...(settledAt && { settledAt }),
  ...(planned.counted && { counted: true }),
  ...(failed && { failed }),
});

const eventIn = ({ event }: PlanDocument): PlanEvent => planEventCodec.decode(bytesOf(event));

/** The plan in a stored document. */
export function plannedOf(stored: PlanDocument): ChunkPlanned {
  const { event } = eventIn(stored);
  if (event?.$case !== 'chunk') throw new Error(`${stored._id}: no plan in its document`);
  return event.value;
}
