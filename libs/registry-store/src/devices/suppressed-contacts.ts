import { defaultTags } from '@tidings/audience';
import type { Suppression, SuppressedSince } from '@tidings/delivery';
import { Platform, positionOf, seqOf } from '@tidings/kernel';
import type { Db } from 'mongodb';
import { ADDRESSES, addressId } from '../configuration/collection-names.ts';
import { type DeviceDocument, deviceIndexes, DEVICES } from './device-document.ts';

export interface SuppressionQuery {
  readonly account: string;
  readonly application: string;
  readonly chunk: number;
  readonly transactional: boolean;
  readonly category: string | undefined;
}

export interface SuppressedContacts {
  readonly present: ReadonlySet<number>;
  readonly byReason: ReadonlyMap<Suppression, ReadonlySet<number>>;
}

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

const BATCH_SIZE = 2_000;
const INDEXED_LENGTH = 64;

function* inParts<Item>(items: readonly Item[]): Iterable<readonly Item[]> {
  for (let i = 0; i < items.length; i += BATCH_SIZE) yield items.slice(i, i + BATCH_SIZE);
}

/** Longer texts are stored in part, and whole beside it. */
export function hasCategory(category: string): object {
  const { number: k } = defaultTags.unsubscribedCategories;
  const points = [...category];
  if (points.length < INDEXED_LENGTH) return { k, v: category };
  if (points.length === INDEXED_LENGTH) return { k, v: category, s: { $exists: false } };
  return { k, v: points.slice(0, INDEXED_LENGTH).join(''), s: category };
}

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

/** The blacklist prevails: such a mail counts as bounced (R-E18). */
export function suppressedSince(
  { present, byReason }: SuppressedContacts,
  position: number,
): SuppressedSince | undefined {
  if (!present.has(position)) return 'GONE';
  if (byReason.get('BOUNCED')?.has(position)) return 'BOUNCED';
  for (const [reason, positions] of byReason) if (positions.has(position)) return reason;
  return undefined;
}

interface Contacts {
  readonly app: string;
  readonly seq: { readonly $in: number[] };
  readonly platform: number;
}

async function readTagged(db: Db, contacts: Contacts, tag: object, into: Set<number>): Promise<void> {
  const devices = db.collection<DeviceDocument>(DEVICES);
  const filter = { ...contacts, tags: { $elemMatch: tag } };
  const projection = { _id: 0, seq: 1 };
  for await (const { seq } of devices.find(filter, { projection, hint: deviceIndexes.seq })) into.add(positionOf(seq));
}

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
  const query = { _id: { $in: [...positions.keys()] } };
  for await (const { _id, since, complained: at } of addresses.find(query, {
    projection: { since: 1, complained: 1 },
  })) {
    const position = positions.get(_id)!;
    if (since) bounced.add(position);
    if (at) complained.add(position);
  }
}
