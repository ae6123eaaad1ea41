import { date, defineModel, number, text } from '@tidings/mongo';

/** The remainder of a token's limit (R-LM2). A missing bucket is full. */
export interface BucketDocument {
  /** Id of the token. */
  readonly _id: string;
  /** Increases with every draw. */
  readonly rev: number;
  /** Requests left, including fractions that have refilled. */
  readonly left: number;
  /** Time of `left`, in milliseconds since 1970. */
  readonly at: number;
  /** When the bucket is full again. */
  readonly fullAt: Date;
}

/** Buckets of rate-limited tokens: updated while requests wait, and therefore native. */
export const bucketsModel = defineModel<BucketDocument>({
  name: 'buckets',
  retention: 'until it is full again',
  fields: { _id: text, rev: number, left: number, at: number, fullAt: date },
  indexes: [{ name: 'fullAt_1', key: { fullAt: 1 }, expireAfterSeconds: 0 }],
});
