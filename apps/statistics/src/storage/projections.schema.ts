import { date, defineModel, flag, list, number, object, oneOf, optional, text } from '@tidings/mongo';

export const projectionNames = ['statistics', 'conversions'] as const;
export type ProjectionName = (typeof projectionNames)[number];

export interface ReplayedPartition {
  topic: string;
  partition: number;
  from: number;
  next: number;
  to: number;
  firstAt?: Date;
}

export interface KeptFigures {
  before: Date;
  messages: number;
  blocks: number;
}

export interface ReplayRecord {
  id: number;
  projection: ProjectionName;
  generation: number;
  startedAt: Date;
  finishedAt?: Date;
  canceled?: boolean;
  partitions: ReplayedPartition[];
  purged: string[];
  skipped: number;
  readingMs: number;
  kept?: KeptFigures;
}

export interface ProjectionsDocument {
  readonly _id: 'projections';
  readonly live: Readonly<Record<ProjectionName, number>>;
  readonly newest: number;
  readonly replay?: ReplayRecord;
}

const partition = object<ReplayedPartition>({
  topic: text,
  partition: number,
  from: number,
  next: number,
  to: number,
  firstAt: optional(date),
});

export const projectionsModel = defineModel<ProjectionsDocument>({
  name: 'projections',
  retention: 'for ever: one document',
  fields: {
    _id: text,
    live: object<ProjectionsDocument['live']>({ statistics: number, conversions: number }),
    newest: number,
    replay: optional(
      object<ReplayRecord>({
        id: number,
        projection: oneOf(...projectionNames),
        generation: number,
        startedAt: date,
        finishedAt: optional(date),
        canceled: optional(flag),
        partitions: list(partition),
        purged: list(text),
        skipped: number,
        readingMs: number,
        kept: optional(object<KeptFigures>({ before: date, messages: number, blocks: number })),
      }),
    ),
  },
});
