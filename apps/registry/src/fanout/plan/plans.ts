import { type DocumentAddress, fieldsOf, type LogDefinition } from '@tidings/event-store';
import { type ChunkPlanned, PlanEvent } from '@tidings/events';
import {
  type Candidates,
  type ChunkKey,
  fanoutId,
  planChunk,
  planId,
  type PlanRules,
  type SendableKey,
  sliceCount,
} from '@tidings/delivery';
import { Bitmap, messageLogOf, seqOf } from '@tidings/kernel';
import type { Binary } from 'mongodb';
import { bytesOf } from '../../accounts/account-documents.ts';

/** Collections of the states. */
export const PLANS = 'plans';
export const FANOUTS = 'fanouts';

/** The common fields of a message's events. */
export interface MessageIdentity {
  readonly message: string;
  readonly messageId: bigint;
  readonly account: string;
}

type EventCase = NonNullable<PlanEvent['event']>;

const eventOf = (of: MessageIdentity, key: Omit<ChunkKey, 'chunk'>, at: Date, event: EventCase): PlanEvent => ({
  stamp: undefined,
  message: of.message,
  messageId: of.messageId,
  account: of.account,
  application: key.application,
  bucket: key.bucket,
  at,
  event,
});

const codec = {
  encode: (event: PlanEvent): Uint8Array => PlanEvent.encode(event).finish(),
  decode: (bytes: Uint8Array): PlanEvent => PlanEvent.decode(bytes),
  isKnown: ({ event }: PlanEvent): boolean => event !== undefined,
};

/** Splits a message into chunks, once; a repeat returns the chunks of the first split. */
export interface PlanFanout {
  readonly of: MessageIdentity;
  readonly key: Omit<ChunkKey, 'chunk'>;
  readonly chunks: readonly number[];
  readonly at: Date;
}

export interface FanoutState {
  readonly chunks: readonly number[];
  readonly at: Date;
}

const fanoutAt = (key: Omit<ChunkKey, 'chunk'>): DocumentAddress => ({ collection: FANOUTS, id: fanoutId(key) });

/** The log of a message's fan-outs, by the first digit of its code. */
export const fanoutLogOf = (message: string): string => `fanouts-${messageLogOf(message)}`;

/** The splits of messages into chunks, in 16 logs. */
export const fanoutsLog: LogDefinition<PlanFanout, PlanEvent, FanoutState, readonly number[]> = {
  category: 'fanouts',
  needs: ({ key }) => ({ ids: [fanoutAt(key)] }),
  decide({ of, key, chunks, at }, view) {
    const planned = view.get(fanoutAt(key));
    if (planned) return { events: [], reply: planned.chunks };
    return { events: [eventOf(of, key, at, { $case: 'fanout', value: { chunks: [...chunks] } })], reply: chunks };
  },
  addresses: (event) => [fanoutAt(event)],
  evolve(state, { event, at }) {
    if (event?.$case !== 'fanout') throw new Error(`fanouts: cannot apply ${event?.$case}`);
    return state ?? { chunks: event.value.chunks, at: at! };
  },
  ...codec,
  toDocument: ({ chunks, at }) => ({ chunks, at }),
  fields: { [FANOUTS]: fieldsOf<FanoutState>({ chunks: true, at: true }) },
  fromDocument: (document) => document as unknown as FanoutState,
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
}

/** A stored plan; all fields except the event can be read separately. */
export interface PlanDocument {
  readonly _id: string;
  readonly event: Binary | Uint8Array;
  readonly slices: readonly SliceCount[];
  readonly named: boolean;
  readonly at: Date;
  readonly settledAt?: Date;
  /** Of a message that is saved to inboxes: found by its chunk or, if it names its recipients, by each of them. */
  readonly inbox?: InboxPlace;
}

/** Where the entries of a plan are found until they leave the inboxes. */
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
    }
  | { readonly kind: 'settle'; readonly of: MessageIdentity; readonly key: ChunkKey; readonly at: Date };

/** The valid plan, and whether this command made it; undefined if a plan to settle does not exist. */
export type PlanReply = { readonly planned: ChunkPlanned; readonly fresh: boolean } | undefined;

const planAt = (key: ChunkKey): DocumentAddress => ({ collection: PLANS, id: planId(key) });

/** The log of a chunk's plans. */
export const planLogOf = ({ application, chunk }: Pick<ChunkKey, 'application' | 'chunk'>): string =>
  `plans-${application}-${chunk}`;

const sliceCountsOf = ({ sendable }: ChunkPlanned): SliceCount[] =>
  sendable.map(({ platform, variant, set }) => ({ platform, variant, count: sliceCount(Bitmap.decode(set).size) }));

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

/** The plans of messages, decided once per message and chunk, in a log per chunk (sending 2). */
export const plansLog: LogDefinition<PlanCommand, PlanEvent, PlanState, PlanReply> = {
  category: 'plans',
  needs: ({ key }) => ({ ids: [planAt(key)] }),
  decide(command, view) {
    const { of, key } = command;
    const state = view.get(planAt(key));
    if (command.kind === 'settle') {
      const events = state && !state.settledAt ? [settled(of, key, command.at)] : [];
      return { events, reply: state && { planned: state.planned, fresh: false } };
    }
    if (state) return { events: [], reply: { planned: state.planned, fresh: false } };
    const planned = planChunk(command.candidates, command.rules);
    const { at } = command.rules;
    const events = [eventOf(of, key, at, { $case: 'chunk', value: planned })];
    // A plan without slices is settled at once.
    if (planned.sendable.length === 0) events.push(settled(of, key, at));
    return { events, reply: { planned, fresh: true } };
  },
  addresses: ({ event, ...of }) =>
    event?.$case === 'chunk' || event?.$case === 'settled' ? [planAt({ ...of, chunk: event.value.chunk })] : [],
  evolve(state, event) {
    if (event.event?.$case === 'chunk') return { event, planned: event.event.value };
    if (event.event?.$case !== 'settled' || !state) throw new Error(`plans: cannot apply ${event.event?.$case}`);
    return { ...state, settledAt: event.at! };
  },
  ...codec,
  toDocument: ({ event, planned, settledAt }) => ({
    event: codec.encode(event),
    slices: sliceCountsOf(planned),
    named: planned.named,
    at: event.at,
    inbox: inboxPlaceOf(event, planned),
    ...(settledAt ? { settledAt } : {}),
  }),
  fields: {
    [PLANS]: fieldsOf<PlanDocument>({
      ...{ event: true, slices: true, named: true, at: true, settledAt: true, inbox: true },
    }),
  },
  fromDocument(document) {
    const stored = document as unknown as PlanDocument;
    const { settledAt } = stored;
    return { event: eventIn(stored), planned: plannedOf(stored), ...(settledAt ? { settledAt } : {}) };
  },
};

const eventIn = ({ event }: PlanDocument): PlanEvent => codec.decode(bytesOf(event));

/** The plan in a stored document. */
export function plannedOf(stored: PlanDocument): ChunkPlanned {
  const { event } = eventIn(stored);
  if (event?.$case !== 'chunk') throw new Error(`${stored._id}: no plan in its document`);
  return event.value;
}
