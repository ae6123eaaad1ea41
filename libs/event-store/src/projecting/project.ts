import { DUPLICATE_KEY, findAll, tryUpdates, type Update } from '@tidings/mongo';
import { type Db, type Document, MongoServerError } from 'mongodb';
import type { RecentParts } from './recent-parts.ts';

export type ProjectedDocument = Document & { readonly _id: string };

export interface ReadModel {
  readonly db: Db;
  readonly collection: string;
}

export interface Projection<Fact> {
  readonly idOf: (fact: Fact) => string;
  /** Has its own revision, so that topics do not conflict. @default the whole document */
  readonly partOf?: (fact: Fact) => string;
  /** Pure. Omitted fields are preserved at any depth (ADR 27). */
  readonly apply: (stored: Document | undefined, facts: readonly Fact[]) => Document;
  readonly onInsert?: (fact: Fact) => Document;
  /** Parts that are not read again. @default none */
  readonly recent?: RecentParts;
  /** Applies facts without a read first. */
  readonly isProbablyNew?: (part: string, id: string) => boolean;
}

interface Target<Fact> {
  readonly id: string;
  readonly first: Fact;
  readonly parts: Map<string, Fact[]>;
}

const WHOLE = '';

/** One read and one write for all; resolves when durable. */
export async function project<Fact>(
  into: ReadModel,
  facts: readonly Fact[],
  projection: Projection<Fact>,
): Promise<ReadonlyMap<string, Document>> {
  const stored = new Map<string, Document>();
  let open = await writeOnce(into, targetsOf(facts, projection), projection, stored);
  const { isProbablyNew: _, ...reading } = projection;
  while (open.length > 0) open = await writeOnce(into, open, reading, stored);
  return stored;
}

function targetsOf<Fact>(facts: readonly Fact[], { idOf, partOf }: Projection<Fact>): Target<Fact>[] {
  const targets = new Map<string, Target<Fact>>();
  for (const fact of facts) {
    const [id, part] = [idOf(fact), partOf?.(fact) ?? WHOLE];
    const target = targets.get(id) ?? { id, first: fact, parts: new Map<string, Fact[]>() };
    targets.set(id, target);
    const own = target.parts.get(part);
    if (own) own.push(fact);
    else target.parts.set(part, [fact]);
  }
  return [...targets.values()];
}

async function writeOnce<Fact>(
  { db, collection }: ReadModel,
  targets: readonly Target<Fact>[],
  { apply, onInsert, recent, isProbablyNew = () => false }: Projection<Fact>,
  stored: Map<string, Document>,
): Promise<Target<Fact>[]> {
  const unknown = targets.filter(({ id, parts }) =>
    [...parts.keys()].some((part) => !recent?.has(id, part) && !isProbablyNew(part, id)),
  );
  const found = await read({ db, collection }, unknown);
  const projected = targets.map(({ id, parts }) => {
    const after = [...parts].map(([part, facts]): [string, Document] => {
      const before = recent?.take(id, part) ?? partIn(found.get(id), part);
      return [part, { ...over(before, apply(before, facts)), rev: revOf(before) + 1 }];
    });
    if (parts.has(WHOLE)) stored.set(id, after[0]![1]);
    return { id, after };
  });
  const { refused } = await tryUpdates(
    db,
    collection,
    projected.map(({ id, after }, i) => writeOf(id, after, onInsert?.(targets[i]!.first))),
  );
  const error = refused.find(({ code }) => code !== DUPLICATE_KEY);
  if (error) throw new MongoServerError({ ...error });
  const conflicting = new Set(refused.map(({ index }) => index));
  for (const [i, { id, after }] of projected.entries()) {
    if (conflicting.has(i)) continue;
    for (const [part, written] of after) if (part !== WHOLE) recent?.put(id, part, written);
  }
  return targets.filter((_, i) => conflicting.has(i));
}

async function read<Fact>(
  { db, collection }: ReadModel,
  targets: readonly Target<Fact>[],
): Promise<ReadonlyMap<string, ProjectedDocument>> {
  if (targets.length === 0) return new Map();
  const parts = targets.flatMap(({ parts: own }) => [...own.keys()].filter((part) => part !== WHOLE));
  const filter = { _id: { $in: targets.map(({ id }) => id) } };
  const projection = Object.fromEntries(parts.map((part) => [part, 1 as const]));
  const documents = await findAll<ProjectedDocument>(db, collection, filter, { projection });
  return new Map(documents.map((one) => [one._id, one]));
}

function over(before: Document | undefined, after: Document): Document {
  if (!before) return after;
  const merged = { ...before };
  delete merged['_id'];
  for (const [name, value] of Object.entries(after)) {
    const previous: unknown = before[name];
    merged[name] = isPlain(previous) && isPlain(value) ? over(previous, value) : (value as unknown);
  }
  return merged;
}

const isPlain = (value: unknown): value is Document =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

const partIn = (document: Document | undefined, part: string): Document | undefined =>
  part === WHOLE ? document : (document?.[part] as Document | undefined);

const revOf = (stored: Document | undefined): number => (stored?.['rev'] as number | undefined) ?? 0;

function writeOf(
  id: string,
  after: readonly (readonly [part: string, document: Document])[],
  onInsert: Document | undefined,
): Update<ProjectedDocument> {
  const filter: Document = { _id: id };
  const set: Document = {};
  for (const [part, document] of after) {
    const before = revOf(document) - 1;
    filter[part === WHOLE ? 'rev' : `${part}.rev`] = before === 0 ? { $exists: false } : before;
    Object.assign(set, part === WHOLE ? document : { [part]: document });
  }
  // If the revision has changed, the upsert collides with the `_id`: a conflict.
  return { q: filter, u: { $set: set, ...(onInsert && { $setOnInsert: onInsert }) }, upsert: true };
}
