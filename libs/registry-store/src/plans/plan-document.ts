import { BadgesAllotted, type ChunkPlanned, PlanEvent } from '@tidings/events';
import { bytesOf } from '@tidings/mongo';
import type { Binary } from 'mongodb';

/** The stored form of the events of plans and of splits. */
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

/** The split of a message into chunks of an application. A later split of the same message is the same. */
export interface FanoutState {
  readonly chunks: readonly number[];
  readonly at: Date;
}

export const eventIn = ({ event }: PlanDocument): PlanEvent => planEventCodec.decode(bytesOf(event));

/** The plan in a stored document. */
export function plannedOf(stored: PlanDocument): ChunkPlanned {
  const { event } = eventIn(stored);
  if (event?.$case !== 'chunk') throw new Error(`${stored._id}: no plan in its document`);
  return event.value;
}

/** The badges of the plan in a stored document, if its message changes badges. */
export const badgesOf = ({ badges }: Pick<PlanDocument, 'badges'>): BadgesAllotted | undefined =>
  badges && BadgesAllotted.decode(bytesOf(badges));
