import { sliceId } from '@tidings/delivery';
import { Content, SendBatch } from '@tidings/events';
import { Binary } from 'mongodb';

/** The values of sent pushes are kept as long as their events are offered to subscribers (R-EV5). */
export const KEEP_VALUES_MS = 72 * 3_600_000;

/** An application, or every one of an account. */
export interface KeptApplicationDocument {
  /** The code of the application, or `<account>/`. */
  readonly _id: string;
  readonly expireAt: Date;
}

/** The values that the sent pushes of a slice were rendered from. */
export interface SentValuesDocument {
  /** The slice's identity. */
  readonly _id: string;
  readonly application: string;
  readonly chunk: number;
  /** All its devices are within these positions. */
  readonly first: number;
  readonly last: number;
  /** The devices that each claim has sent to, as an encoded SendBatch, by the number of the claim. */
  readonly rounds: Readonly<Record<string, Binary>>;
  readonly expireAt: Date;
}

export interface ErasedDocument {
  /** `<application>/<seq>` */
  readonly _id: string;
  readonly application: string;
  readonly chunk: number;
  readonly position: number;
  readonly expireAt: Date;
}

/** Content with nothing but the names of its tags, which the columns of values belong to. */
const onlyTags = (content: Content | undefined): SendBatch['content'] =>
  content && Content.fromPartial({ tags: content.tags });

/** The stored form of devices of a slice, without the message's content, which is stored once with the message. */
export const packValues = (batch: SendBatch): Binary =>
  new Binary(SendBatch.encode({ ...batch, content: onlyTags(batch.content), credential: undefined }).finish());

export const unpackValues = ({ buffer }: Binary): SendBatch => SendBatch.decode(buffer);

/** The rounds of a document, the last one first: a device that was sent to again after a lost claim has values in both rounds. */
export const roundsOf = ({ rounds }: Pick<SentValuesDocument, 'rounds'>): (readonly [string, Binary])[] =>
  Object.entries(rounds).toSorted(([a], [b]) => Number(b) - Number(a));

/** The identity of a batch's only slice. */
export const idOf = (batch: SendBatch): string => sliceId({ ...batch, number: batch.slices[0]!.number });
