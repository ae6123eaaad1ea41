import { defaultTags } from '@tidings/audience';
import type { Suppression, SuppressedSince } from '@tidings/delivery';
import { Platform, positionOf, seqOf } from '@tidings/kernel';
import type { Db } from 'mongodb';
import { ADDRESSES, addressId } from '../configuration/collection-names.ts';
import { type DeviceDocument, deviceIndexes, DEVICES } from './device-document.ts';

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

/** What concerns the mails to some contacts, by position. */
export interface SuppressedContacts {
  /** The contacts that exist and have an address. */
  readonly present: ReadonlySet<number>;
  /** The contacts that get no mail, by every reason that applies, in the order of the rules (R-H11). */
  readonly byReason: ReadonlyMap<Suppression, ReadonlySet<number>>;
}

/** The reasons against an address. */
interface AddressDocument {
  readonly _id: string;
  readonly since?: Date;
  readonly complained?: Date;
}

interface Found {
  readonly present: Set<number>;
  readonly unsubscribed: Set<number>;
  readonly bounced: Set<number>;
  readonly complained: Set<number>;
  readonly filtered: Set<number>;
}

/** Devices, or addresses, of one query. */
const TOGETHER = 2_000;
/** Indexed values of tags have at most this number of code points (architecture 4). */
const INDEXED_LENGTH = 64;

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
 * Reads which contacts get no mail: addresses on the blacklist of the account or with a complaint get none, unsubscribed contacts no marketing (R-E14).
 * Costs a few queries per 2,000 contacts, and none without contacts.
 */
export async function readSuppressed(
  db: Db,
  query: SuppressionQuery,
  positions: readonly number[],
): Promise<SuppressedContacts> {
  const found: Found = {
    present: new Set(),
    unsubscribed: new Set(),
    bounced: new Set(),
    complained: new Set(),
    filtered: new Set(),
  };
  for (const part of inParts(positions)) {
    const contacts = {
      app: query.application,
      seq: { $in: part.map((position) => seqOf(query.chunk, position)) },
      platform: Platform.Email,
    };
    const reads = [readAddresses(db, query.account, contacts, found)];
    if (!query.transactional) {
      const { number: k } = defaultTags.unsubscribedEmails;
      reads.push(readTagged(db, contacts, { k, v: true }, found.unsubscribed));
      if (query.category !== undefined)
        reads.push(readTagged(db, contacts, hasCategory(query.category), found.filtered));
    }
    await Promise.all(reads);
  }
  return {
    present: found.present,
    byReason: new Map([
      ['UNSUBSCRIBED', found.unsubscribed],
      ['BOUNCED', found.bounced],
      ['COMPLAINT', found.complained],
      ['FILTERED_BY_CATEGORY', found.filtered],
    ]),
  };
}

/** The reason why a planned contact gets no mail any more; undefined if it does. The blacklist prevails, because such a mail counts as bounced (R-E18). */
export function suppressedSince(
  { present, byReason }: SuppressedContacts,
  position: number,
): SuppressedSince | undefined {
  if (!present.has(position)) return 'GONE';
  if (byReason.get('BOUNCED')?.has(position)) return 'BOUNCED';
  for (const [reason, positions] of byReason) if (positions.has(position)) return reason;
  return undefined;
}

/** The filter of some contacts. */
interface Contacts {
  readonly app: string;
  readonly seq: { readonly $in: number[] };
  readonly platform: number;
}

/** Adds the positions of the contacts that have a tag. */
async function readTagged(db: Db, contacts: Contacts, tag: object, into: Set<number>): Promise<void> {
  const devices = db.collection<DeviceDocument>(DEVICES);
  const filter = { ...contacts, tags: { $elemMatch: tag } };
  const projection = { _id: 0, seq: 1 };
  for await (const { seq } of devices.find(filter, { projection, hint: deviceIndexes.seq })) into.add(positionOf(seq));
}

/** Adds the positions of the contacts with an address, and of those whose addresses have bounced, or complained. */
async function readAddresses(
  db: Db,
  account: string,
  contacts: Contacts,
  { present, bounced, complained }: Found,
): Promise<void> {
  const devices = db.collection<DeviceDocument>(DEVICES);
  const options = { projection: { _id: 0, seq: 1, th: 1 }, hint: deviceIndexes.seq };
  const positions = new Map<string, number>();
  for (const { seq, th } of await devices.find(contacts, options).toArray()) {
    if (th === undefined) continue;
    present.add(positionOf(seq));
    positions.set(addressId(account, th), positionOf(seq));
  }
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
