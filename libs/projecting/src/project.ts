import { type AnyBulkWriteOperation, type Collection, type Document, MongoBulkWriteError } from 'mongodb';

/** A document of a read model: found by `_id`; everything else is the projection's. */
export type ProjectedDocument = Document & { readonly _id: string };

/** How facts become documents. */
export interface Projection<Fact> {
  /** `_id` of the document that a fact belongs to. */
  readonly idOf: (fact: Fact) => string;
  /**
   * The part of the document that the fact belongs to, a top-level field. Parts have revisions of their own, so that consumers of
   * different topics do not meet. @default the whole document
   */
  readonly partOf?: (fact: Fact) => string;
  /**
   * What is stored after these facts of one document and part. Pure: it is repeated after a conflict. Of a whole document, fields that it
   * leaves out stay as they are.
   */
  readonly fold: (stored: Document | undefined, facts: readonly Fact[]) => Document;
  /** Fields that only a new document gets. */
  readonly onInsert?: (fact: Fact) => Document;
}

interface Target<Fact> {
  readonly id: string;
  readonly part: string | undefined;
  readonly facts: Fact[];
}

const DUPLICATE_KEY = 11000;

/**
 * Folds facts into their documents by compare-and-set on a revision, one read and one write for all of them; what another writer changed
 * in between is folded again. Resolves when durable, with what was stored by `_id` (of projections without parts).
 */
export async function project<Fact>(
  collection: Collection<ProjectedDocument>,
  facts: readonly Fact[],
  projection: Projection<Fact>,
): Promise<ReadonlyMap<string, Document>> {
  const stored = new Map<string, Document>();
  for (let open = targetsOf(facts, projection); open.length > 0;)
    open = await writeOnce(collection, open, projection, stored);
  return stored;
}

function targetsOf<Fact>(facts: readonly Fact[], { idOf, partOf }: Projection<Fact>): Target<Fact>[] {
  const targets = new Map<string, Target<Fact>>();
  for (const fact of facts) {
    const [id, part] = [idOf(fact), partOf?.(fact)];
    const key = JSON.stringify([id, part]);
    const target = targets.get(key);
    if (target) target.facts.push(fact);
    else targets.set(key, { id, part, facts: [fact] });
  }
  return [...targets.values()];
}

/** The targets that another writer was quicker with. */
async function writeOnce<Fact>(
  collection: Collection<ProjectedDocument>,
  targets: readonly Target<Fact>[],
  { fold, onInsert }: Projection<Fact>,
  stored: Map<string, Document>,
): Promise<Target<Fact>[]> {
  const ids = [...new Set(targets.map(({ id }) => id))];
  const found = new Map((await collection.find({ _id: { $in: ids } }).toArray()).map((one) => [one._id, one]));
  const operations = targets.map(({ id, part, facts }): AnyBulkWriteOperation<ProjectedDocument> => {
    const document = found.get(id);
    const before = (part === undefined ? document : document?.[part]) as Document | undefined;
    const rev = (before?.['rev'] as number | undefined) ?? 0;
    const after = { ...fold(before, facts), rev: rev + 1 };
    if (part === undefined) stored.set(id, after);
    return {
      updateOne: {
        filter: { _id: id, [part === undefined ? 'rev' : `${part}.rev`]: rev === 0 ? { $exists: false } : rev },
        update: {
          $set: part === undefined ? after : { [part]: after },
          ...(onInsert ? { $setOnInsert: onInsert(facts[0]!) } : {}),
        },
        // With a revision that has moved, the upsert meets the _id and is refused: the sign of a conflict.
        upsert: true,
      },
    };
  });
  try {
    await collection.bulkWrite(operations, { ordered: false });
    return [];
  } catch (error) {
    const refused = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : [];
    if (refused.length === 0 || refused.some(({ code }) => code !== DUPLICATE_KEY)) throw error;
    return refused.map(({ index }) => targets[index]!);
  }
}
