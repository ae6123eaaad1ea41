import type { ProcessIdentity } from '@tidings/coordination';
import {
  bytes,
  date,
  defineModel,
  type ModelDefinition,
  number,
  object,
  oneOf,
  optional,
  processIdentity,
  text,
} from '@tidings/mongo';
import type { Binary } from 'mongodb';
import type { TopicKind } from '../../broker-port.ts';

export interface StoredPartitionId {
  readonly t: string;
  readonly p: number;
}

export interface BatchId extends StoredPartitionId {
  readonly o: number;
}

export interface StoredBatch {
  readonly _id: BatchId;
  readonly n: number;
  readonly at: number;
  readonly raw?: number;
  readonly records: Buffer | Binary;
}

export interface FloorDocument {
  readonly _id: StoredPartitionId;
  readonly start?: number;
  readonly clean?: number;
}

export interface OffsetDocument {
  readonly _id: StoredPartitionId & { readonly g: string };
  readonly o: number;
}

export interface TopicDocument {
  readonly _id: string;
  readonly kind: TopicKind;
  readonly partitions: number;
  readonly retentionMs: number;
}

export interface Holder {
  readonly _id: 'holder';
  readonly host: string;
  readonly pid: number;
  readonly process?: ProcessIdentity;
  readonly epoch: string;
  readonly renewed: Date;
  readonly ttlMs: number;
}

type LeaseDocument = Partial<Omit<Holder, '_id'>> & { readonly _id: string; readonly now?: Date };

export const batchesModel = defineModel<StoredBatch>({
  name: 'streaming.batches',
  retention: 'as the topic',
  fields: {
    _id: object<BatchId>({ t: text, p: number, o: number }),
    n: number,
    at: number,
    raw: optional(number),
    records: bytes,
  },
});

export const floorsModel = defineModel<FloorDocument>({
  name: 'streaming.floors',
  retention: 'for ever: one document per partition',
  fields: { _id: object<StoredPartitionId>({ t: text, p: number }), start: optional(number), clean: optional(number) },
});

export const offsetsModel = defineModel<OffsetDocument>({
  name: 'streaming.offsets',
  retention: 'for ever: one document per group and partition',
  fields: { _id: object<OffsetDocument['_id']>({ g: text, t: text, p: number }), o: number },
});

export const topicsModel = defineModel<TopicDocument>({
  name: 'streaming.topics',
  retention: 'for ever: one document per topic that a subscription has named',
  fields: { _id: text, kind: oneOf('work', 'facts', 'compacted'), partitions: number, retentionMs: number },
});

export const leaseModel = defineModel<LeaseDocument>({
  name: 'streaming.lease',
  retention: 'one document per process that may write; its lease lasts 10 s',
  fields: {
    _id: text,
    host: optional(text),
    pid: optional(number),
    process: optional(processIdentity),
    epoch: optional(text),
    renewed: optional(date),
    ttlMs: optional(number),
    now: optional(date),
  },
});

/** Read and written natively: each record passes here. */
export const embeddedLogCollections: readonly ModelDefinition[] = [
  batchesModel,
  floorsModel,
  offsetsModel,
  topicsModel,
  leaseModel,
];
