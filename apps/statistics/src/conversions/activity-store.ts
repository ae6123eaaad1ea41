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

const CREDITED_AT_ONCE = 500;
const CLOSED_AT_ONCE = 500;
const RANGES_AT_ONCE = 100;
const RECENT_PARTS = 512;
const CHANGES_PER_WRITE = 500;

export interface DatedCredit extends Credit {
  readonly application: string;
  readonly chunk: number;
  readonly day: number;
}

export interface ActivityStore {
  /** Resolves when facts and credits are durable. @param createdAt retention counts from it */
  apply(changes: readonly ActivityChange[], now: Date, createdAt?: (key: ActivityKey) => Date): Promise<void>;
  creditsOf(message: string): Promise<DatedCredit[]>;
  expire(now: Date): Promise<void>;
  adopt(generation: number, lastDay: number, now: Date, signal: AbortSignal): Promise<number>;
  forget(applications: readonly string[]): Promise<void>;
}

const daysAround = (key: ActivityKey, from: number, to: number): ActivityKey[] =>
  Array.from({ length: to - from + 1 }, (_, i) => ({ ...key, day: key.day + from + i }));

const binary = (bytes: Uint8Array): Binary => new Binary(asBuffer(bytes));

function applied(stored: Document | undefined, changes: readonly ActivityChange[]): Document {
  const existing = stored as OpensPart | EventsPart | undefined;
  if (existing?.closed) return existing;
  const { part, key } = changes[0]!;
  if (part === 'opens') {
    const added = changes.flatMap((change) => (change.part === 'opens' ? [change.opens] : []));
    const { messages, rows } = mergeOpens(key.day, existing && partOf(existing as OpensPart), added);
    return { messages, rows: binary(rows) };
  }
  const before = existing ? decodeActions(partOf(existing as EventsPart), key.block) : [];
  const { names, rows } = encodeActions(
    mergeActions([...before, ...changes.flatMap((change) => (change.part === 'events' ? change.rows : []))]),
  );
  return { names, rows: binary(rows) };
}

const partOf = <Part extends { readonly rows: Binary }>(part: Part): Omit<Part, 'rows'> & { rows: Uint8Array } => ({
  ...part,
  rows: bytesOf(part.rows),
});

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

interface PendingChange {
  readonly change: ActivityChange;
  readonly now: Date;
  readonly createdAt: Date;
}

export function openActivityStore(db: Db, generation = 0): ActivityStore {
  const model = inGeneration(activitiesModel, generation);
  const activities = collectionOf(db, model);
  let recent = new RecentParts(RECENT_PARTS);
  const write = async (pending: readonly PendingChange[]): Promise<void> => {
    await project({ db, collection: model.name }, pending, {
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
    const changes = pending.map(({ change }) => change);
    const affected = await affectedBy(activities, changes, pending.at(-1)!.now);
    for (let i = 0; i < affected.length; i += CREDITED_AT_ONCE)
      await creditDays(activities, affected.slice(i, i + CREDITED_AT_ONCE));
  };
  const writeBatch = sharedWrites(write, {
    maxItems: CHANGES_PER_WRITE,
    mayBeOneItem: (error) => !isTransient(error),
  });
  return {
    apply: (changes, now, createdAt = () => now) =>
      writeBatch(changes.map((change) => ({ change, now, createdAt: createdAt(change.key) }))),
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
      const previous = collectionOf(db, inGeneration(activitiesModel, other));
      let adopted = 0;
      for await (const { _id } of previous.find({}, { projection: { _id: 1 } })) {
        signal.throwIfAborted();
        if (activityKeyOf(_id).day > lastDay) continue;
        const document = await previous.findOne({ _id });
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

const openIdsFor = (key: ActivityKey): string[] =>
  daysAround({ ...key, block: openBlockOf(key.block) }, -LOOKBACK_DAYS, 0).map((day) => activityId('opens', day));

async function affectedBy(
  activities: Collection<ActivityDocument>,
  changes: readonly ActivityChange[],
  now: Date,
): Promise<ActivityKey[]> {
  const keys = new Map<string, ActivityKey>();
  const openIds = new Set<string>();
  for (const { part, key } of changes) {
    if (part === 'events') keys.set(activityId(part, key), key);
    else for (const day of daysAround(key, 0, LOOKBACK_DAYS)) openIds.add(activityId(part, day));
  }
  const ranges = rangesOf(changes, now);
  for (let i = 0; i < ranges.length; i += RANGES_AT_ONCE) {
    const $or = ranges.slice(i, i + RANGES_AT_ONCE).map((range) => ({ _id: range }));
    for (const { _id } of await activities.find({ $or }, { projection: { _id: 1 } }).toArray()) {
      const { part: _, ...key } = activityKeyOf(_id);
      if (openIds.has(activityId('opens', { ...key, block: openBlockOf(key.block) }))) keys.set(_id, key);
    }
  }
  return [...keys.values()];
}

function rangesOf(changes: readonly ActivityChange[], now: Date): ReturnType<typeof activityIdsOf>[] {
  // This process's clock may be behind the one that stamped the facts.
  const latest = dayOf(now.getTime() / 1000) + 1;
  const opened = changes.flatMap(({ part, key }) => (part === 'opens' ? [key] : []));
  return [...Map.groupBy(opened, ({ application, chunk }) => `${application}/${chunk}`).values()].map((keys) => {
    const days = keys.map(({ day }) => day);
    return activityIdsOf('events', keys[0]!, [Math.min(...days), Math.min(Math.max(...days) + LOOKBACK_DAYS, latest)]);
  });
}

/** Revisions only grow: a computation that read less never overwrites. */
async function creditDays(activities: Collection<ActivityDocument>, keys: readonly ActivityKey[]): Promise<void> {
  const ids = new Set(keys.flatMap((key) => [activityId('events', key), ...openIdsFor(key)]));
  const found = await activities.find({ _id: { $in: [...ids] } }, { projection: { opens: 1, events: 1 } }).toArray();
  const byId = new Map(found.map((document) => [document._id, document]));
  const operations = keys.flatMap((key) => {
    const events = byId.get(activityId('events', key))?.events;
    const opens = openIdsFor(key).flatMap((id) => byId.get(id)?.opens ?? []);
    // The credits of a closed part are final.
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
