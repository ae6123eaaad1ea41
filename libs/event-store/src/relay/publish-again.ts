import type { Db } from 'mongodb';
import { type CommitDocument, DURABLE, type HeadDocument } from '../mongo/commits.ts';

const HEADS = '.heads';
const BATCH_SIZE = 1_000;

async function categoriesIn(db: Db): Promise<string[]> {
  const found = await db.listCollections({}, { nameOnly: true }).toArray();
  return found.flatMap(({ name }) => (name.endsWith(HEADS) ? [name.slice(0, -HEADS.length)] : []));
}

const commitsOf = (db: Db, category: string) => db.collection<CommitDocument>(`${category}.commits`);
const headsOf = (db: Db, category: string) => db.collection<HeadDocument>(`${category}${HEADS}`);

/** 1970 if no commit counts as published; undefined without commits. */
export async function publishedSince(databases: readonly Db[], behindMs: number): Promise<Date | undefined> {
  const times = await Promise.all(databases.map(lastPublished));
  const newest = Math.max(...times.map((at) => at?.getTime() ?? 0));
  if (newest === 0 && !(await Promise.all(databases.map(hasCommits))).includes(true)) return undefined;
  return new Date(Math.max(0, newest - behindMs));
}

async function hasCommits(db: Db): Promise<boolean> {
  for (const category of await categoriesIn(db)) {
    if ((await commitsOf(db, category).findOne({}, { projection: { _id: 1 } })) !== null) return true;
  }
  return false;
}

async function lastPublished(db: Db): Promise<Date | undefined> {
  let newest: Date | undefined;
  for (const category of await categoriesIn(db)) {
    const commits = commitsOf(db, category);
    const newestOf = async (ids: readonly CommitDocument['_id'][]): Promise<void> => {
      const found = commits.find({ _id: { $in: [...ids] } }, { projection: { at: 1 } });
      for await (const { at } of found) if (!newest || at > newest) newest = at;
    };
    const ids: CommitDocument['_id'][] = [];
    for await (const { _id: log, published } of headsOf(db, category).find({ published: { $gt: 0 } })) {
      ids.push({ log, position: published });
      if (ids.length === BATCH_SIZE) await newestOf(ids.splice(0));
    }
    if (ids.length > 0) await newestOf(ids);
  }
  return newest;
}

/** No relay may run meanwhile. Safe to repeat. */
export async function publishAgain(db: Db, since: Date): Promise<number> {
  let logs = 0;
  for (const category of await categoriesIn(db)) {
    const first = { $group: { _id: '$_id.log', position: { $min: '$_id.position' } } };
    const found = commitsOf(db, category).aggregate<{ readonly _id: string; readonly position: number }>(
      [{ $match: { at: { $gte: since } } }, first],
      { allowDiskUse: true },
    );
    const heads = headsOf(db, category);
    for await (const { _id, position } of found) {
      const published = position - 1;
      await heads.updateOne({ _id, published: { $gt: published } }, { $set: { published } }, { writeConcern: DURABLE });
      logs++;
    }
  }
  return logs;
}
