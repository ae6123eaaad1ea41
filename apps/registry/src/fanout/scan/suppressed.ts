import { defaultTags } from '@tidings/audience';
import type { Suppressed } from '@tidings/delivery';
import { Bitmap, Platform, positionOf, seqOf } from '@tidings/kernel';
import type { Db } from 'mongodb';
import { ADDRESSES, addressId } from '../../accounts/account-collections.ts';
import { type DeviceDocument, deviceIndexes, DEVICES } from '../../devices/storage/device-document.ts';
import { type Columns, ON_BLACKLIST } from './columns.ts';

/** The contacts of a chunk, and the message for which they are checked. */
export interface SuppressionQuery {
  readonly account: string;
  readonly application: string;
  readonly chunk: number;
  /** Unsubscribing concerns marketing only (R-E14). */
  readonly transactional: boolean;
  /** The category of the message; undefined without one. */
  readonly category: string | undefined;
}

/** The reasons against an address. */
interface AddressDocument {
  readonly _id: string;
  readonly since?: Date;
  readonly complained?: Date;
}

/** Devices, or addresses, of one query. */
const TOGETHER = 2_000;
/** Indexed values of tags have at most this number of code points (architecture 4). */
const INDEXED_LENGTH = 64;

const nobody: Suppressed = [];

/** The seqs of the e-mail contacts that have been scanned. */
function mailSeqs({ count, platforms, positions }: Columns, chunk: number): number[] {
  const seqs: number[] = [];
  for (let i = 0; i < count; i++) if (platforms[i] === Platform.Email) seqs.push(seqOf(chunk, positions[i]!));
  return seqs;
}

function* inParts<Item>(items: readonly Item[]): Iterable<readonly Item[]> {
  for (let i = 0; i < items.length; i += TOGETHER) yield items.slice(i, i + TOGETHER);
}

/** A condition on the list of categories; longer texts are stored in part, and whole beside it. */
export function hasCategory(category: string): object {
  const { number: k } = defaultTags.unsubscribedCategories;
  const points = [...category];
  if (points.length < INDEXED_LENGTH) return { k, v: category };
  if (points.length === INDEXED_LENGTH) return { k, v: category, s: { $exists: false } };
  return { k, v: points.slice(0, INDEXED_LENGTH).join(''), s: category };
}

/**
 * The scanned e-mail contacts that get no mail, by reason, in the order in which the reasons apply (R-H11, R-E14): addresses on the blacklist of the
 * account or with a complaint get none, unsubscribed ones no marketing. Costs a few queries per 2,000 contacts, and none without contacts.
 */
export async function findSuppressed(db: Db, columns: Columns, query: SuppressionQuery): Promise<Suppressed> {
  const seqs = mailSeqs(columns, query.chunk);
  if (seqs.length === 0) return nobody;
  const found = { unsubscribed: new Set<number>(), bounced: new Set<number>(), complained: new Set<number>() };
  const filtered = new Set<number>();
  for (const part of inParts(seqs)) {
    const reads = [readAddresses(db, query, part, found)];
    if (!query.transactional) {
      const { number: k } = defaultTags.unsubscribedEmails;
      reads.push(readTagged(db, query, part, { k, v: true }, found.unsubscribed));
      if (query.category !== undefined) reads.push(readTagged(db, query, part, hasCategory(query.category), filtered));
    }
    await Promise.all(reads);
  }
  const sets = [
    ['UNSUBSCRIBED', found.unsubscribed],
    ['BOUNCED', found.bounced],
    ['COMPLAINT', found.complained],
    ['FILTERED_BY_CATEGORY', filtered],
  ] as const;
  return sets.flatMap(([reason, positions]) => (positions.size === 0 ? [] : [{ reason, set: Bitmap.of(positions) }]));
}

/** Marks the contacts of the columns whose address is on the blacklist, for slices that are emitted some time after the plan (R-E18). */
export async function markBlacklisted(
  db: Db,
  columns: Columns,
  of: Pick<SuppressionQuery, 'account' | 'application' | 'chunk'>,
): Promise<void> {
  const bounced = new Set<number>();
  for (const part of inParts(mailSeqs(columns, of.chunk))) {
    await readAddresses(db, of, part, { bounced, complained: new Set() });
  }
  for (const position of bounced) columns.flags[columns.rowOf(position)]! |= ON_BLACKLIST;
}

const contacts = (application: string, seqs: readonly number[]) => ({
  app: application,
  seq: { $in: [...seqs] },
  platform: Platform.Email,
});

/** Adds the positions of the contacts that have a tag. */
async function readTagged(
  db: Db,
  { application }: SuppressionQuery,
  seqs: readonly number[],
  tag: object,
  into: Set<number>,
): Promise<void> {
  const devices = db.collection<DeviceDocument>(DEVICES);
  const filter = { ...contacts(application, seqs), tags: { $elemMatch: tag } };
  const projection = { _id: 0, seq: 1 };
  for await (const { seq } of devices.find(filter, { projection, hint: deviceIndexes.seq })) into.add(positionOf(seq));
}

/** Adds the positions of the contacts whose addresses have bounced, or complained. */
async function readAddresses(
  db: Db,
  { account, application }: Pick<SuppressionQuery, 'account' | 'application'>,
  seqs: readonly number[],
  { bounced, complained }: { readonly bounced: Set<number>; readonly complained: Set<number> },
): Promise<void> {
  const devices = db.collection<DeviceDocument>(DEVICES);
  const options = { projection: { _id: 0, seq: 1, th: 1 }, hint: deviceIndexes.seq };
  const holders = await devices.find(contacts(application, seqs), options).toArray();
  const positions = new Map(
    holders.flatMap(({ seq, th }) => (th === undefined ? [] : [[addressId(account, th), positionOf(seq)] as const])),
  );
  if (positions.size === 0) return;
  const addresses = db.collection<AddressDocument>(ADDRESSES);
  const known = { _id: { $in: [...positions.keys()] } };
  for await (const { _id, since, complained: at } of addresses.find(known, {
    projection: { since: 1, complained: 1 },
  })) {
    const position = positions.get(_id)!;
    if (since) bounced.add(position);
    if (at) complained.add(position);
  }
}
