import type { ChunkStages, FailedDevices, HourSets } from '@tidings/delivery';
import { ChunkSet } from '@tidings/kernel';
import { type AnyBulkWriteOperation, Binary, type Collection, type Db, MongoBulkWriteError } from 'mongodb';
import { type Change, type Group, mergePart, noParts, type PartName, type Parts, stagesOf } from './stages.ts';

type HoursDocument = [hour: number, set: Binary][];
type FailedDocument = { category: string; code: string; name: string; hours: HoursDocument }[];

/**
 * One document per (message, application, platform, chunk), a sub-document per source. Each part has a revision of its own, so that the
 * consumers of different topics do not meet; at most 8 KiB a set.
 */
interface GroupDocument {
  readonly _id: string;
  readonly platform: number;
  readonly createdAt: Date;
  readonly plan?: { rev: number; eligible: Binary; excluded: [reason: string, set: Binary][]; failed: FailedDocument };
  readonly wire?: { rev: number; sent: HoursDocument; notDisplayable: Binary; failed: FailedDocument };
  readonly delivered?: { rev: number; hours: HoursDocument };
  readonly opened?: { rev: number; hours: HoursDocument };
}

/** The sets behind metrics and funnels. */
export interface StageStore {
  /** Folds changes into their documents by compare-and-set; resolves when durable. */
  apply(changes: readonly Change[], at: Date): Promise<void>;
  /** Everything known of a message. */
  stagesOf(message: string): Promise<ChunkStages[]>;
  /** Removes what is known of these messages. */
  forget(messages: readonly string[]): Promise<void>;
}

const DUPLICATE_KEY = 11000;
const idOf = ({ message, application, platform, chunk }: Group): string =>
  `${message}/${application}/${platform}/${chunk}`;
/** Ids of a message: codes hold no character above "/"'s successor. */
const idsOf = (message: string): { $gt: string; $lt: string } => ({ $gt: `${message}/`, $lt: `${message}0` });

export function openStageStore(db: Db): StageStore {
  const groups = db.collection<GroupDocument>('groups');
  return {
    async apply(changes, at) {
      let open = joined(changes);
      while (open.length > 0) open = await writeOnce(groups, open, at);
    },
    async stagesOf(message) {
      const documents = await groups.find({ _id: idsOf(message) }).toArray();
      return documents.map((document) => stagesOf(document.platform, partsOf(document)));
    },
    async forget(messages) {
      for (const message of messages) await groups.deleteMany({ _id: idsOf(message) });
    },
  };
}

/** One change per document and part. */
function joined(changes: readonly Change[]): Change[] {
  const byTarget = new Map<string, Change>();
  for (const change of changes) {
    const key = `${idOf(change.group)}/${change.part}`;
    const present = byTarget.get(key);
    byTarget.set(key, present ? withValue(change, merged(change, present.value)) : change);
  }
  return [...byTarget.values()];
}

// The part of both values is the same by construction: they share the key.
const merged = <P extends PartName>(change: { part: P; value: Parts[P] }, other: unknown): Parts[P] =>
  mergePart(change.part, other as Parts[P], change.value);
const withValue = (change: Change, value: Parts[PartName]): Change => ({ ...change, value }) as Change;

/** Loads, merges, writes; what another writer changed in between comes back to be done again. */
async function writeOnce(groups: Collection<GroupDocument>, changes: readonly Change[], at: Date): Promise<Change[]> {
  const ids = [...new Set(changes.map(({ group }) => idOf(group)))];
  const found = new Map(
    (await groups.find({ _id: { $in: ids } }).toArray()).map((document) => [document._id, document]),
  );
  const operations = changes.map((change): AnyBulkWriteOperation<GroupDocument> => {
    const { group, part } = change;
    const document = found.get(idOf(group));
    const rev = document?.[part]?.rev ?? 0;
    const value = document?.[part] ? merged(change, partsOf(document)[part]) : change.value;
    return {
      updateOne: {
        filter: { _id: idOf(group), [`${part}.rev`]: rev === 0 ? { $exists: false } : rev },
        update: {
          $set: { [part]: { rev: rev + 1, ...(documentOf({ ...change, value } as Change) as object) } },
          $setOnInsert: { platform: group.platform, createdAt: at },
        },
        // With a revision that moved, the upsert meets the _id and is refused: the sign of a conflict.
        upsert: true,
      },
    };
  });
  try {
    await groups.bulkWrite(operations, { ordered: false });
    return [];
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError)) throw error;
    const failures = [error.writeErrors].flat();
    if (failures.length === 0 || failures.some(({ code }) => code !== DUPLICATE_KEY)) throw error;
    return failures.map(({ index }) => changes[index]!);
  }
}

const hoursDocument = (hours: HourSets): HoursDocument => [...hours].map(([hour, set]) => [hour, binary(set)]);
const hoursOf = (document: HoursDocument): HourSets => new Map(document.map(([hour, set]) => [hour, setOf(set)]));
const binary = (set: ChunkSet): Binary => new Binary(set.encode());
const setOf = (stored: Binary): ChunkSet => ChunkSet.decode(stored.buffer);
const failedDocument = (failed: readonly FailedDevices[]): FailedDocument =>
  failed.map(({ hours, ...kind }) => ({ ...kind, hours: hoursDocument(hours) }));
const failedOf = (document: FailedDocument): FailedDevices[] =>
  document.map(({ hours, ...kind }) => ({ ...kind, hours: hoursOf(hours) }));

function documentOf(change: Change): unknown {
  switch (change.part) {
    case 'plan': {
      const { eligible, excluded, failed } = change.value;
      const sets = [...excluded].map(([reason, set]) => [reason, binary(set)]);
      return { eligible: binary(eligible), excluded: sets, failed: failedDocument(failed) };
    }
    case 'wire': {
      const { sent, notDisplayable, failed } = change.value;
      return { sent: hoursDocument(sent), notDisplayable: binary(notDisplayable), failed: failedDocument(failed) };
    }
    case 'delivered':
    case 'opened':
      return { hours: hoursDocument(change.value) };
  }
}

function partsOf({ plan, wire, delivered, opened }: GroupDocument): Parts {
  return {
    plan: plan
      ? {
          eligible: setOf(plan.eligible),
          excluded: new Map(plan.excluded.map(([reason, set]) => [reason, setOf(set)])),
          failed: failedOf(plan.failed),
        }
      : noParts.plan,
    wire: wire
      ? { sent: hoursOf(wire.sent), notDisplayable: setOf(wire.notDisplayable), failed: failedOf(wire.failed) }
      : noParts.wire,
    delivered: delivered ? hoursOf(delivered.hours) : noParts.delivered,
    opened: opened ? hoursOf(opened.hours) : noParts.opened,
  };
}
