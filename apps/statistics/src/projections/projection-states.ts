import { Fault } from '@tidings/kernel';
import { collectionOf, isDuplicateKey } from '@tidings/mongo';
import type { Db } from 'mongodb';
import {
  type ProjectionName,
  type ProjectionsDocument,
  projectionsModel,
  type ReplayRecord,
} from '../storage/projections.schema.ts';

const DURABLE = { writeConcern: { w: 'majority', journal: true } } as const;
const _id = 'projections';
const INITIAL: ProjectionsDocument = { _id, live: { statistics: 0, conversions: 0 }, newest: 0 };

export const isRunning = (replay: ReplayRecord | undefined): boolean => replay !== undefined && !replay.finishedAt;

export interface ProjectionStates {
  read(): Promise<ProjectionsDocument>;
  /** @throws Fault `conflict` while another replay is running */
  begin(projection: ProjectionName, newest: number, at: Date): Promise<ReplayRecord>;
  purged(replay: ReplayRecord, applications: readonly string[]): Promise<void>;
  progressed(replay: ReplayRecord): Promise<boolean>;
  cancel(id: number, at: Date): Promise<boolean>;
  finish(replay: ReplayRecord, at: Date): Promise<boolean>;
}

export function projectionStates(db: Db): ProjectionStates {
  const states = collectionOf(db, projectionsModel);
  const running = ({ id }: Pick<ReplayRecord, 'id'>) =>
    ({ _id, 'replay.id': id, 'replay.finishedAt': { $exists: false } }) as const;
  return {
    async read() {
      return (await states.findOne({ _id })) ?? INITIAL;
    },
    async begin(projection, newest, at) {
      try {
        await states.updateOne({ _id }, { $setOnInsert: { live: INITIAL.live, newest: 0 } }, { upsert: true });
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
      const replay: ReplayRecord = {
        id: newest + 1,
        projection,
        generation: newest + 1,
        startedAt: at,
        partitions: [],
        purged: [],
        skipped: 0,
        readingMs: 0,
      };
      const idle = { $or: [{ replay: { $exists: false } }, { 'replay.finishedAt': { $exists: true } }] };
      const { matchedCount } = await states.updateOne(
        { _id, newest, ...idle },
        { $set: { newest: newest + 1, replay } },
        DURABLE,
      );
      if (matchedCount === 0) throw Fault.conflict('A replay is running');
      return replay;
    },
    async purged(replay, applications) {
      if (applications.length === 0) return;
      await states.updateOne(
        running(replay),
        { $addToSet: { 'replay.purged': { $each: [...applications] } } },
        DURABLE,
      );
    },
    async progressed(replay) {
      const { partitions, skipped, readingMs } = replay;
      const set = { 'replay.partitions': partitions, 'replay.skipped': skipped, 'replay.readingMs': readingMs };
      return (await states.updateOne(running(replay), { $set: set })).matchedCount === 1;
    },
    async cancel(id, at) {
      const set = { 'replay.finishedAt': at, 'replay.canceled': true };
      return (await states.updateOne(running({ id }), { $set: set }, DURABLE)).matchedCount === 1;
    },
    async finish(replay, at) {
      const { projection, generation, kept } = replay;
      const set = {
        [`live.${projection}`]: generation,
        'replay.finishedAt': at,
        ...(kept && { 'replay.kept': kept }),
      };
      return (await states.updateOne(running(replay), { $set: set }, DURABLE)).matchedCount === 1;
    },
  };
}
