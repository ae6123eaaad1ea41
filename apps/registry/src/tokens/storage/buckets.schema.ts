import { date, defineModel, number, text } from '@tidings/mongo';

/** What is left of a token's limit (R-LM2). One that is not there is full. */
export interface BucketDocument {
  /** Of a token. */
  readonly _id: string;
  /** Grows with every taking. */
  readonly rev: number;
  /** Requests that may be made; parts of one have grown back. */
  readonly left: number;
  /** When that was so, in milliseconds since 1970. */
  readonly at: number;
  /** When the bucket is full again, whatever was taken of it. */
  readonly fullAt: Date;
}

/** The limits of tokens: changed while requests wait, and so native. */
export const bucketsModel = defineModel<BucketDocument>({
  name: 'buckets',
  kept: "until the token's limit is whole again",
  fields: { _id: text, rev: number, left: number, at: number, fullAt: date },
  indexes: [{ name: 'fullAt_1', key: { fullAt: 1 }, expireAfterSeconds: 0 }],
});
