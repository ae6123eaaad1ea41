import { sliceId } from '@tidings/delivery';
import { Content, SendBatch } from '@tidings/events';
import { Binary } from 'mongodb';

/** Events are offered to subscribers for as long (R-EV5). */
export const KEEP_VALUES_MS = 72 * 3_600_000;

export interface KeptApplicationDocument {
  readonly _id: string;
  readonly expireAt: Date;
}

export interface SentValuesDocument {
  readonly _id: string;
  readonly application: string;
  readonly chunk: number;
  readonly first: number;
  readonly last: number;
  readonly rounds: Readonly<Record<string, Binary>>;
  readonly expireAt: Date;
}

export interface ErasedDocument {
  readonly _id: string;
  readonly application: string;
  readonly chunk: number;
  readonly position: number;
  readonly expireAt: Date;
}

const onlyTags = (content: Content | undefined): SendBatch['content'] =>
  content && Content.fromPartial({ tags: content.tags });

export const packValues = (batch: SendBatch): Binary =>
  new Binary(SendBatch.encode({ ...batch, content: onlyTags(batch.content), credential: undefined }).finish());

export const unpackValues = ({ buffer }: Binary): SendBatch => SendBatch.decode(buffer);

/** The last round comes first: a device may have values in several. */
export const roundsOf = ({ rounds }: Pick<SentValuesDocument, 'rounds'>): (readonly [string, Binary])[] =>
  Object.entries(rounds).toSorted(([a], [b]) => Number(b) - Number(a));

export const idOf = (batch: SendBatch): string => sliceId({ ...batch, number: batch.slices[0]!.number });
