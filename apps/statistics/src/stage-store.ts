import {
  bounceCategoryOf,
  type Bounces,
  type ChunkStages,
  coarser,
  type FailedDevices,
  type HourSets,
} from '@tidings/delivery';
import { project, RecentParts } from '@tidings/event-store';
import { Bitmap, platformCodes } from '@tidings/kernel';
import { collectionOf } from '@tidings/mongo';
import { Binary, type Db, type Document } from 'mongodb';
import type { StagesOfGroup } from './conversions/totals.ts';
import type { Share } from './message-facts.ts';
import { inGeneration } from './storage/in-generation.ts';
import type { WindowEnds } from './report-changes.ts';
import {
  type Change,
  type Group,
  mergeParts,
  noParts,
  type PartName,
  type Parts,
  type ReportPart,
  reportParts,
  stagesOf,
} from './stages.ts';
import {
  type BouncesDocument,
  type FailedDocument,
  type GroupDocument,
  GROUPS_KEPT_MS,
  groupsModel,
  type HoursDocument,
} from './storage/statistics.schema.ts';

export interface StageStore {
  apply(changes: readonly Change[], windowEndOf: WindowEnds, at: Date): Promise<void>;
  stagesOf(message: string): Promise<ChunkStages[]>;
  groupsOf(message: string): Promise<StagesOfGroup[]>;
  chunkOf(of: Omit<Group, 'platform'>): Promise<ChunkStages[]>;
  forget(messages: readonly string[]): Promise<void>;
  forgetShares(shares: readonly Share[]): Promise<void>;
  forgetApplications(applications: readonly string[]): Promise<void>;
  changesOf(message: string): Promise<{ readonly changes: readonly Change[]; readonly createdAt: Date } | undefined>;
  removeOrphans(now: Date): Promise<void>;
}

const RECENT_PARTS = 512;
const REMOVED_AT_ONCE = 1000;

const idOf = ({ message, application, platform, chunk }: Group): string =>
  `${message}/${application}/${platform}/${chunk}`;
function groupOf(id: string): Group {
  const [message = '', application = '', platform, chunk] = id.split('/');
  return { message, application, platform: Number(platform), chunk: Number(chunk) };
}
/** "0" is the character after "/". */
const idsOf = (prefix: string): { $gt: string; $lt: string } => ({ $gt: `${prefix}/`, $lt: `${prefix}0` });

export function openStageStore(db: Db, generation = 0): StageStore {
  const model = inGeneration(groupsModel, generation);
  const groups = collectionOf(db, model);
  let recent = new RecentParts(RECENT_PARTS);
  const remove = async (prefixes: readonly string[]): Promise<void> => {
    if (prefixes.length === 0) return;
    const writes = prefixes.map((prefix) => ({ deleteMany: { filter: { _id: idsOf(prefix) } } }));
    await groups.bulkWrite(writes, { ordered: false });
    recent = new RecentParts(RECENT_PARTS);
  };
  const groupsOf = async (message: string): Promise<StagesOfGroup[]> => {
    const documents = await groups.find({ _id: idsOf(message) }).toArray();
    return documents.map((document) => ({
      group: groupOf(document._id),
      stages: stagesOf(document.platform, partsOf(document)),
    }));
  };
  return {
    async apply(changes, windowEndOf, at) {
      await project({ db, collection: model.name }, changes, {
        idOf: ({ group }) => idOf(group),
        partOf: ({ part }) => part,
        apply: (stored, facts) => {
          const { part } = facts[0]!;
          const existing = stored ? partsOf({ [part]: stored })[part] : undefined;
          const values = [...(existing ? [existing] : []), ...facts.map(({ value }) => value)];
          const value = mergeParts(part, values as never);
          return documentOf(compact({ ...facts[0]!, value } as Change, windowEndOf));
        },
        onInsert: ({ group }) => ({ platform: group.platform, createdAt: at }),
        recent,
        // A chunk has one plan; its first outcomes find nothing.
        isProbablyNew: (part) => part === 'plan' || part === 'wire',
      });
    },
    async stagesOf(message) {
      return (await groupsOf(message)).map(({ stages }) => stages);
    },
    groupsOf,
    async chunkOf({ message, application, chunk }) {
      const ids = platformCodes.map((platform) => idOf({ message, application, platform, chunk }));
      const documents = await groups
        .find({ _id: { $in: ids } })
        .sort({ platform: 1 })
        .toArray();
      return documents.map((document) => stagesOf(document.platform, partsOf(document)));
    },
    async forget(messages) {
      await remove(messages);
    },
    async removeOrphans(now) {
      await groups.deleteMany({ createdAt: { $lt: new Date(now.getTime() - GROUPS_KEPT_MS) } });
    },
    async forgetApplications(applications) {
      if (applications.length === 0) return;
      const purged = new Set(applications);
      let found: string[] = [];
      const removeFound = async (): Promise<void> => {
        if (found.length > 0) await groups.deleteMany({ _id: { $in: found } });
        found = [];
      };
      for await (const { _id } of groups.find({}, { projection: { _id: 1 } })) {
        if (purged.has(groupOf(_id).application)) found.push(_id);
        if (found.length === REMOVED_AT_ONCE) await removeFound();
      }
      await removeFound();
      recent = new RecentParts(RECENT_PARTS);
    },
    async changesOf(message) {
      const documents = await groups.find({ _id: idsOf(message) }).toArray();
      const [first] = documents;
      return first && { changes: documents.flatMap(changesIn), createdAt: first.createdAt };
    },
    async forgetShares(shares) {
      await remove(shares.map(({ message, application }) => `${message}/${application}`));
    },
  };
}

function compact(change: Change, windowEndOf: WindowEnds): Change {
  if (change.part === 'plan' || change.part === 'wire') return change;
  const end = windowEndOf(change.group.message);
  if (end === undefined) return change;
  if (change.part !== 'mailBounced') return { ...change, value: coarser(change.value, end) };
  return { ...change, value: new Map([...change.value].map(([category, hours]) => [category, coarser(hours, end)])) };
}

function changesIn(document: GroupDocument): Change[] {
  const parts = partsOf(document);
  const stored = Object.keys(parts).filter((part) => part in document) as PartName[];
  return stored.map((part) => ({ group: groupOf(document._id), part, value: parts[part] }) as Change);
}

const hoursDocument = (hours: HourSets): HoursDocument => [...hours].map(([hour, set]) => [hour, binary(set)]);
const hoursOf = (document: HoursDocument): HourSets => new Map(document.map(([hour, set]) => [hour, setOf(set)]));
const setOf = (stored: Binary): Bitmap => (stored instanceof StoredSet ? stored.set : Bitmap.decode(stored.buffer));

class StoredSet extends Binary {
  readonly set: Bitmap;

  constructor(set: Bitmap) {
    super(set.encode());
    this.set = set;
  }
}

const storedSets = new WeakMap<Bitmap, StoredSet>();

function binary(set: Bitmap): StoredSet {
  const stored = storedSets.get(set) ?? new StoredSet(set);
  storedSets.set(set, stored);
  return stored;
}

const reasonsDocument = (sets: ReadonlyMap<string, Bitmap>): [string, Binary][] =>
  [...sets].map(([reason, set]) => [reason, binary(set)]);
const reasonsOf = (document: readonly [string, Binary][] = []): ReadonlyMap<string, Bitmap> =>
  new Map(document.map(([reason, set]) => [reason, setOf(set)]));

const failedDocument = (failed: readonly FailedDevices[]): FailedDocument =>
  failed.map(({ hours, ...kind }) => ({ ...kind, hours: hoursDocument(hours) }));
const failedOf = (document: FailedDocument): FailedDevices[] =>
  document.map(({ hours, ...kind }) => ({ ...kind, hours: hoursOf(hours) }));

const bouncesDocument = (bounces: Bounces): BouncesDocument =>
  [...bounces].map(([category, hours]) => ({ category, hours: hoursDocument(hours) }));
const bouncesOf = (document: BouncesDocument = []): Bounces =>
  new Map(document.map(({ category, hours }) => [bounceCategoryOf(category), hoursOf(hours)]));

function documentOf(change: Change): Document {
  switch (change.part) {
    case 'plan': {
      const { eligible, excluded, failed, inboxEligible, inboxExcluded } = change.value;
      return {
        eligible: binary(eligible),
        excluded: reasonsDocument(excluded),
        failed: failedDocument(failed),
        ...(inboxEligible.size > 0 && { inboxEligible: binary(inboxEligible) }),
        ...(inboxExcluded.size > 0 && { inboxExcluded: reasonsDocument(inboxExcluded) }),
      };
    }
    case 'wire': {
      const { sent, notDisplayable, failed, bounced } = change.value;
      return {
        sent: hoursDocument(sent),
        notDisplayable: binary(notDisplayable),
        failed: failedDocument(failed),
        ...(bounced.size > 0 && { bounced: bouncesDocument(bounced) }),
      };
    }
    case 'mailBounced':
      return { bounced: bouncesDocument(change.value) };
    default:
      return { hours: hoursDocument(change.value) };
  }
}

function partsOf({ plan, wire, mailBounced, ...reports }: Partial<GroupDocument>): Parts {
  const reported = reportParts.map((part) => {
    const stored = reports[part];
    return [part, stored ? hoursOf(stored.hours) : noParts[part]] as const;
  });
  return {
    plan: plan
      ? {
          eligible: setOf(plan.eligible),
          excluded: reasonsOf(plan.excluded),
          failed: failedOf(plan.failed),
          inboxEligible: plan.inboxEligible ? setOf(plan.inboxEligible) : Bitmap.empty,
          inboxExcluded: reasonsOf(plan.inboxExcluded),
        }
      : noParts.plan,
    wire: wire
      ? {
          sent: hoursOf(wire.sent),
          notDisplayable: setOf(wire.notDisplayable),
          failed: failedOf(wire.failed),
          bounced: bouncesOf(wire.bounced),
        }
      : noParts.wire,
    mailBounced: bouncesOf(mailBounced?.bounced),
    ...(Object.fromEntries(reported) as Record<ReportPart, HourSets>),
  };
}
