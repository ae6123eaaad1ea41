import { date, defineModel, number, text } from '@tidings/mongo';

export interface BucketDocument {
  readonly _id: string;
  readonly rev: number;
  readonly left: number;
  readonly at: number;
  readonly fullAt: Date;
}

export const bucketsModel = defineModel<BucketDocument>({
  name: 'buckets',
  retention: 'until it is full again',
  fields: { _id: text, rev: number, left: number, at: number, fullAt: date },
  indexes: [{ name: 'fullAt_1', key: { fullAt: 1 }, expireAfterSeconds: 0 }],
});
