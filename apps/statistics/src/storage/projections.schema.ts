import { date, defineModel, flag, list, number, object, oneOf, optional, text } from '@tidings/mongo';

/** The read models that are rebuilt on their own. */
export const projectionNames = ['statistics', 'conversions'] as const;
export type ProjectionName = (typeof projectionNames)[number];

/** A partition that a replay reads. */
export interface ReplayedPartition {
  topic: string;
  partition: number;
  /** Offsets of the first record, of the next one, and of the first one that the replay leaves to the live consumers. */
  from: number;
  next: number;
  to: number;
  /** Publication of the first record; absent until it is read. */
  firstAt?: Date;
}

/** Figures that were added from the former generation. */
export interface KeptFigures {
  before: Date;
  messages: number;
  blocks: number;
}

export interface ReplayRecord {
  id: number;
  projection: ProjectionName;
  /** The generation that it builds. */
  generation: number;
  startedAt: Date;
  /** When it was done or canceled. */
  finishedAt?: Date;
  canceled?: boolean;
  partitions: ReplayedPartition[];
  /** Deleted applications: their facts may still be in the topics. */
  purged: string[];
  skipped: number;
  /** Time spent on reading. */
  readingMs: number;
  kept?: KeptFigures;
}

/**
 * The generations of the projections: a replay builds the next one beside that which queries read. Generation 0 has the plain names of collections,
 * later ones have their number behind it.
 */
export interface ProjectionsDocument {
  readonly _id: 'projections';
  readonly live: Readonly<Record<ProjectionName, number>>;
  /** Number of the newest generation of any projection. */
  readonly newest: number;
  /** The replay that began last. */
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
