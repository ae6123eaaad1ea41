import { sharedWrites } from '@tidings/coordination';
import { type Credit, creditsOf } from '@tidings/delivery';
import { project, RecentParts } from '@tidings/event-store';
import { asBuffer, bytesOf, collectionOf, isTransient } from '@tidings/mongo';
import { Binary, type Collection, type Db, type Document } from 'mongodb';
import {
  ACTIVITY_KEPT_MS,
  type ActivityDocument,
  activitiesModel,
  CLOSED_KEPT_MS,
  type EventsPart,
  type OpensPart,
} from '../storage/activities.schema.ts';
import { inGeneration } from '../storage/in-generation.ts';
import { GROUPS_KEPT_MS } from '../storage/statistics.schema.ts';
import {
  activityId,
  activityIdsOf,
  type ActivityKey,
  activityKeyOf,
  dayOf,
  decodeActions,
  decodeCredits,
  decodeOpens,
  decodeOpensOf,
  encodeActions,
  encodeCredits,
  LOOKBACK_DAYS,
  mergeActions,
  mergeOpens,
  openBlockOf,
} from './activity.ts';
import type { ActivityChange } from './facts.ts';

/** Documents read together for credits. */
const CREDITED_AT_ONCE = 500;
const CLOSED_AT_ONCE = 500;
const RANGES_AT_ONCE = 100;
/** Parts kept in memory: the parts of sixteen chunks on two days, whose opens of a broadcast arrive together. */
const RECENT_PARTS = 512;
/** Maximum changes of several partitions that are applied together. */
const CHANGES_TOGETHER = 500;

/** A credit, the chunk of its device, and the day of its events. */
export interface PlacedCredit extends Credit {
  readonly application: string;
  readonly chunk: number;
  /** Days since 1970 UTC. */
  readonly day: number;
}

/** Opens and events of devices, and the credits that they result in (R-H6). */
export interface ActivityStore {
  /**
   * Adds facts to their documents by compare-and-set, and credits the events concerned anew; resolves when both are durable.
   * @param createdAt the time that the retention of a document counts from @default now
   */
  apply(changes: readonly ActivityChange[], now: Date, createdAt?: (key: ActivityKey) => Date): Promise<void>;
  /** The credits of a message, in a fixed order. */
  creditsOf(message: string): Promise<PlacedCredit[]>;
  /** Removes opens and events after their retention, and documents after theirs. */
  expire(now: Date): Promise<void>;
  /**
   * Copies the days until `lastDay`, with their credits, from another generation. Credits of a day that is empty there replace the credits of this
   * generation. Returns the number of copied documents. @throws when it is aborted
   */
  adopt(generation: number, lastDay: number, now: Date, signal: AbortSignal): Promise<number>;
  /** Removes all activity of these applications. */
  forget(applications: readonly string[]): Promise<void>;
}

/** The days around the day of a key. */
const daysFrom = (key: ActivityKey, from: number, to: number): ActivityKey[] =>
  Array.from({ length: to - from + 1 }, (_, i) => ({ ...key, day: key.day + from + i }));

const binary = (bytes: Uint8Array): Binary => new Binary(asBuffer(bytes));

/** The part after these changes. A closed part stays as it is. */
function applied(stored: Document | undefined, changes: readonly ActivityChange[]): Document {
  const known = stored as OpensPart | EventsPart | undefined;
  if (known?.closed) return known;
  const { part, key } = changes[0]!;
  if (part === 'opens') {
    const added = changes.flatMap((change) => (change.part === 'opens' ? [change.opens] : []));
    const { messages, rows } = mergeOpens(key.day, known && partOf(known as OpensPart), added);
    return { messages, rows: binary(rows) };
  }
  const before = known ? decodeActions(partOf(known as EventsPart), key.block) : [];
  const { names, rows } = encodeActions(
    mergeActions([...before, ...changes.flatMap((change) => (change.part === 'events' ? change.rows : []))]),
  );
  return { names, rows: binary(rows) };
}

const partOf = <Part extends { readonly rows: Binary }>(part: Part): Omit<Part, 'rows'> & { rows: Uint8Array } => ({
  ...part,
  rows: bytesOf(part.rows),
});

/** The opens and events of a document, as the changes that make it. */
function changesIn({ _id, opens, events }: ActivityDocument): ActivityChange[] {
  const { part: _, ...key } = activityKeyOf(_id);
  const ofOpens = opens ? decodeOpens(partOf(opens), key.block) : [];
  return [
    ...ofOpens.map(({ message, platform, position, second }): ActivityChange => {
      return { key, part: 'opens', opens: { message, platform, positions: [position], seconds: [second] } };
    }),
    ...(events ? [{ key, part: 'events', rows: decodeActions(partOf(events), key.block) } as const] : []),
  ];
}

/** A change, and the times of the call that it belongs to. */
interface Given {
  readonly change: ActivityChange;
  readonly now: Date;
  readonly createdAt: Date;
}

export function openActivityStore(db: Db, generation = 0): ActivityStore {
  const model = inGeneration(activitiesModel, generation);
  const activities = collectionOf(db, model);
  let recent = new RecentParts(RECENT_PARTS);
  const write = async (given: readonly Given[]): Promise<void> => {
    await project({ db, collection: model.name }, given, {
      idOf: ({ change: { part, key } }) => activityId(part, key),
      partOf: ({ change: { part } }) => part,
      apply: (stored, facts) =>
        applied(
          stored,
          facts.map(({ change }) => change),
        ),
      recent,
      onInsert: ({ createdAt }) => ({ createdAt, dueAt: new Date(createdAt.getTime() + ACTIVITY_KEPT_MS) }),
    });
    const changes = given.map(({ change }) => change);
    const concerned = await concernedBy(activities, changes, given.at(-1)!.now);
    for (let i = 0; i < concerned.length; i += CREDITED_AT_ONCE)
      await creditDays(activities, concerned.slice(i, i + CREDITED_AT_ONCE));
  };
  // Partitions are handled concurrently, and a round trip costs nearly the same for the facts of several. Writes of the same documents would conflict.
  const writeTogether = sharedWrites(write, {
    maxItems: CHANGES_TOGETHER,
    mayBeOneItem: (error) => !isTransient(error),
  });
  return {
    apply: (changes, now, createdAt = () => now) =>
      writeTogether(changes.map((change) => ({ change, now, createdAt: createdAt(change.key) }))),
    async creditsOf(message) {
      const found = await activities
        .find({ 'credits.messages': message }, { projection: { credits: 1 } })
        .sort({ _id: 1 })
        .toArray();
      return found.flatMap(({ _id, credits }) => {
        const { application, chunk, block, day } = activityKeyOf(_id);
        const own = decodeCredits(partOf(credits!), block).filter((credit) => credit.message === message);
        return own.map((credit) => ({ ...credit, application, chunk, day }));
      });
    },
    async expire(now) {
      await activities.deleteMany({ dueAt: { $lt: now }, closed: true });
      for (let closed = CLOSED_AT_ONCE; closed === CLOSED_AT_ONCE;) closed = await closeDays(activities, now);
    },
    async adopt(other, lastDay, now, signal) {
      const former = collectionOf(db, inGeneration(activitiesModel, other));
      let adopted = 0;
      for await (const { _id } of former.find({}, { projection: { _id: 1 } })) {
        signal.throwIfAborted();
        if (activityKeyOf(_id).day > lastDay) continue;
        const document = await former.findOne({ _id });
        if (!document) continue;
        adopted++;
        if (document.closed) await activities.replaceOne({ _id }, document, { upsert: true });
        else await this.apply(changesIn(document), now, () => document.createdAt);
      }
      recent = new RecentParts(RECENT_PARTS);
      return adopted;
    },
    async forget(applications) {
      for (const application of applications)
        await activities.deleteMany({ _id: { $gt: `${application}/`, $lt: `${application}0` } });
      if (applications.length > 0) recent = new RecentParts(RECENT_PARTS);
    },
  };
}

/** The documents with the opens that decide on the events of a block and day. */
const openIdsFor = (key: ActivityKey): string[] =>
  daysFrom({ ...key, block: openBlockOf(key.block) }, -LOOKBACK_DAYS, 0).map((day) => activityId('opens', day));

/** The days with events whose credits these changes may alter: the day of an event, and the days that an open reaches. */
async function concernedBy(
  activities: Collection<ActivityDocument>,
  changes: readonly ActivityChange[],
  now: Date,
): Promise<ActivityKey[]> {
  const keys = new Map<string, ActivityKey>();
  const reached = new Set<string>();
  for (const { part, key } of changes) {
    if (part === 'events') keys.set(activityId(part, key), key);
    else for (const day of daysFrom(key, 0, LOOKBACK_DAYS)) reached.add(activityId(part, day));
  }
  // Few applications have events: a look-up for each chunk finds all of its blocks and days.
  const ranges = rangesOf(changes, now);
  for (let i = 0; i < ranges.length; i += RANGES_AT_ONCE) {
    const $or = ranges.slice(i, i + RANGES_AT_ONCE).map((range) => ({ _id: range }));
    for (const { _id } of await activities.find({ $or }, { projection: { _id: 1 } }).toArray()) {
      const { part: _, ...key } = activityKeyOf(_id);
      if (reached.has(activityId('opens', { ...key, block: openBlockOf(key.block) }))) keys.set(_id, key);
    }
  }
  return [...keys.values()];
}

/** The ids of the events that opens among these changes may reach, by chunk. */
function rangesOf(changes: readonly ActivityChange[], now: Date): ReturnType<typeof activityIdsOf>[] {
  // The clock of this process may be behind the clock of the service that has stamped the facts.
  const latest = dayOf(now.getTime() / 1000) + 1;
  const opened = changes.flatMap(({ part, key }) => (part === 'opens' ? [key] : []));
  return [...Map.groupBy(opened, ({ application, chunk }) => `${application}/${chunk}`).values()].map((keys) => {
    const days = keys.map(({ day }) => day);
    return activityIdsOf('events', keys[0]!, [Math.min(...days), Math.min(Math.max(...days) + LOOKBACK_DAYS, latest)]);
  });
}

/**
 * Computes the credits of these days from the stored opens and events. Revisions only grow, so their sum shows which of two computations read more, and
 * a smaller sum never overwrites. The writer of the last fact reads all facts, so its credits stay.
 */
async function creditDays(activities: Collection<ActivityDocument>, keys: readonly ActivityKey[]): Promise<void> {
  const ids = new Set(keys.flatMap((key) => [activityId('events', key), ...openIdsFor(key)]));
  const found = await activities.find({ _id: { $in: [...ids] } }, { projection: { opens: 1, events: 1 } }).toArray();
  const byId = new Map(found.map((document) => [document._id, document]));
  const operations = keys.flatMap((key) => {
    const events = byId.get(activityId('events', key))?.events;
    const opens = openIdsFor(key).flatMap((id) => byId.get(id)?.opens ?? []);
    // Without opens no earlier computation had credits either. After a part is closed its credits are final.
    if (!events || opens.length === 0 || [events, ...opens].some(({ closed }) => closed)) return [];
    const version = [events, ...opens].reduce((sum, { rev }) => sum + rev, 0);
    const credits = creditsOf(
      opens.flatMap((part) => decodeOpensOf(partOf(part), key.block)),
      decodeActions(partOf(events), key.block),
    );
    const { rows, ...texts } = encodeCredits(credits);
    const filter = {
      _id: activityId('events', key),
      $or: [{ 'credits.version': { $lt: version } }, { credits: { $exists: false } }],
    };
    return [{ updateOne: { filter, update: { $set: { credits: { version, ...texts, rows: binary(rows) } } } } }];
  });
  if (operations.length > 0) await activities.bulkWrite(operations, { ordered: false });
}

/** Empties the opens and events of days whose retention is over, and returns their number. A concurrent write postpones it. */
async function closeDays(activities: Collection<ActivityDocument>, now: Date): Promise<number> {
  const due = await activities
    .find(
      { dueAt: { $lt: now }, closed: { $exists: false } },
      { projection: { 'opens.rev': 1, 'events.rev': 1, 'credits.messages': 1, createdAt: 1 } },
    )
    .limit(CLOSED_AT_ONCE)
    .toArray();
  if (due.length === 0) return 0;
  const none = binary(new Uint8Array(0));
  const { modifiedCount } = await activities.bulkWrite(
    due.map(({ _id, opens, events, credits, createdAt }) => {
      const isCredited = (credits?.messages.length ?? 0) > 0;
      const dueAt = isCredited
        ? new Date(createdAt.getTime() + GROUPS_KEPT_MS)
        : new Date(now.getTime() + CLOSED_KEPT_MS);
      const revOf = (part: { readonly rev: number } | undefined) => part?.rev ?? { $exists: false };
      const filter = { _id, 'opens.rev': revOf(opens), 'events.rev': revOf(events) } as Document;
      const closed = {
        opens: { rev: (opens?.rev ?? 0) + 1, messages: [], rows: none, closed: true },
        events: { rev: (events?.rev ?? 0) + 1, names: [], rows: none, closed: true },
        closed: true,
        dueAt,
      };
      return { updateOne: { filter, update: { $set: closed } } };
    }),
    { ordered: false },
  );
  return modifiedCount;
}
