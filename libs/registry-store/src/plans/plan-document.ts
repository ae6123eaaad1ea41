import { BadgesAllotted, type ChunkPlanned, PlanEvent } from '@tidings/events';
import { bytesOf } from '@tidings/mongo';
import type { Binary } from 'mongodb';

export const planEventCodec = {
  encode: (event: PlanEvent): Uint8Array => PlanEvent.encode(event).finish(),
  decode: (bytes: Uint8Array): PlanEvent => PlanEvent.decode(bytes),
  isKnown: ({ event }: PlanEvent): boolean => event !== undefined,
};

export interface SliceCount {
  readonly platform: number;
  readonly variant: string;
  readonly count: number;
}

export interface PlanDocument {
  readonly _id: string;
  readonly event: Binary | Uint8Array;
  readonly slices: readonly SliceCount[];
  readonly named: boolean;
  readonly at: Date;
  readonly settledAt?: Date;
  readonly inbox?: InboxScope;
  readonly counted?: boolean;
  readonly failed?: Binary | Uint8Array;
  readonly badged?: Binary | Uint8Array;
  readonly badges?: Binary | Uint8Array;
  readonly returned?: Binary | Uint8Array;
}

export interface InboxScope {
  readonly app: string;
  readonly chunk?: number;
  readonly seqs?: readonly number[];
  readonly until: Date;
}

export interface FanoutState {
  readonly chunks: readonly number[];
  readonly at: Date;
}

export const eventIn = ({ event }: PlanDocument): PlanEvent => planEventCodec.decode(bytesOf(event));

export function plannedOf(stored: PlanDocument): ChunkPlanned {
  const { event } = eventIn(stored);
  if (event?.$case !== 'chunk') throw new Error(`${stored._id}: no plan in its document`);
  return event.value;
}

export const badgesOf = ({ badges }: Pick<PlanDocument, 'badges'>): BadgesAllotted | undefined =>
  badges && BadgesAllotted.decode(bytesOf(badges));
