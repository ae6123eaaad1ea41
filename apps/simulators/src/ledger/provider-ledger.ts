import {
  ACCEPTED,
  type DeviceRecord,
  type EntryFilter,
  type LedgerEntry,
  type LedgerOptions,
  type LedgerSummary,
  type Push,
} from './entries.ts';
import { EntryLog, type Row } from './entry-log.ts';
import { grown } from './grow.ts';
import { PairTable } from './pair-table.ts';
import { StringTable } from './string-table.ts';

/** The first four parts identify the message. */
const messageLength = (hash: string): number => {
  let at = -1;
  for (let part = 0; part < 4; part++) {
    at = hash.indexOf('_', at + 1);
    if (at < 0) return hash.length;
  }
  return at;
};

const ANY = -1;
const NONE = -2;
const matches = (expected: number, number: number): boolean => expected === ANY || expected === number;

/** In bounded memory; counts include evicted entries. */
export class ProviderLedger {
  readonly #tokens = new StringTable();
  readonly #messages = new StringTable();
  readonly #entries: EntryLog;
  readonly #pairs: PairTable;
  readonly #reasons: string[] = [ACCEPTED];
  readonly #reasonNumbers = new Map<string, number>([[ACCEPTED, 0]]);
  readonly #byReason: number[] = [0];
  /** Reused: an object per push would dominate the cost. */
  readonly #scratch: Row = { token: 0, message: 0, at: 0, status: 0, reason: 0, collapseId: '', id: '', tail: '' };
  #acceptedOf = new Uint32Array(64);
  #lastMessage = '';
  #lastNumber = this.#messages.intern('');
  #distinct = 0;
  #duplicates = 0;
  #masked = 0;
  #unidentified = 0;
  #noted = 0;
  readonly #identify: (row: number) => string;
  readonly #keepPayloads: boolean;
  readonly #now: () => number;

  /** @param identify names a push that was sent without an id, by its row */
  constructor(now: () => number, identify: (row: number) => string, options: LedgerOptions = {}) {
    const capacity = options.maxEntries ?? 5_000_000;
    this.#entries = new EntryLog(capacity);
    this.#pairs = new PairTable(capacity);
    this.#identify = identify;
    this.#keepPayloads = options.keepPayloads ?? false;
    this.#now = now;
  }

  /** Unless the push has its own. */
  nextId(): string {
    return this.#identify(this.#entries.next);
  }

  /** @param status 0 if none was sent @param reason `accepted`, or that of the refusal */
  record({ token, hash, collapseId, id, payload }: Push, status: number, reason: string): void {
    const cut = messageLength(hash);
    const row = this.#scratch;
    row.token = this.#tokens.intern(token);
    row.message = this.#messageNumber(hash, cut);
    row.at = this.#now();
    row.status = status;
    row.reason = this.#numberOf(reason);
    row.collapseId = collapseId;
    row.id = id;
    row.tail = cut === hash.length ? '' : hash.slice(cut);
    if (this.#keepPayloads) row.payload = payload.toString('utf8');
    const collapse = this.#entries.append(row);
    this.#byReason[row.reason]!++;
    if (row.reason === 0) this.#accept(row.token, row.message, hash === '', collapse);
  }

  /** Below the HTTP layer, such as a stream reset unread. */
  count(reason: string): void {
    this.#byReason[this.#numberOf(reason)]!++;
  }

  /** Counts what is no push, such as a receipt. */
  note(what: string): void {
    this.count(what);
    this.#noted++;
  }

  summary(): LedgerSummary {
    const total = this.#byReason.reduce((sum, n) => sum + n, 0);
    const accepted = this.#byReason[0]!;
    const entries = this.#reasons.map((reason, i) => [reason, this.#byReason[i]!] as const);
    return {
      accepted,
      refused: total - accepted - this.#noted,
      byReason: Object.fromEntries(entries.filter(([, n]) => n > 0)),
      tokens: this.#distinct,
      duplicates: this.#duplicates,
      masked: this.#masked,
      unidentified: this.#unidentified,
      forgotten: { entries: this.#entries.first, pairs: this.#pairs.forgotten },
    };
  }

  /** In order of arrival. */
  entries(filter: EntryFilter = {}): LedgerEntry[] {
    const { limit = 100, offset = 0 } = filter;
    const [ofToken, ofReason] = this.#numbersOf(filter);
    const found: LedgerEntry[] = [];
    let skip = offset;
    for (let row = this.#entries.first; row < this.#entries.next && found.length < limit; row++) {
      const fits = matches(ofToken, this.#entries.tokenOf(row)) && matches(ofReason, this.#entries.reasonOf(row));
      if (fits && skip-- <= 0) found.push(this.#entryOf(row));
    }
    return found;
  }

  /** By first occurrence, refused ones included. */
  devices({ token, limit = 100, offset = 0 }: Omit<EntryFilter, 'reason'> = {}): DeviceRecord[] {
    const row = token === undefined ? undefined : this.#tokens.find(token);
    if (token !== undefined && row === undefined) return [];
    const first = row ?? offset;
    const end = row === undefined ? Math.min(this.#tokens.size, offset + limit) : row + 1;
    const devices: DeviceRecord[] = [];
    for (let number = first; number < end; number++) {
      const accepted = this.#acceptedOf[number] ?? 0;
      devices.push({ token: this.#tokens.get(number), accepted, collapseIds: [], hashes: [] });
    }
    this.#collect(devices, first);
    return devices;
  }

  #collect(devices: DeviceRecord[], first: number): void {
    const sets = devices.map(() => ({ collapseIds: new Set<string>(), hashes: new Set<string>() }));
    for (let row = this.#entries.first; row < this.#entries.next; row++) {
      const set = sets[this.#entries.tokenOf(row) - first];
      if (set === undefined || this.#entries.reasonOf(row) !== 0) continue;
      const { collapseId, hash } = this.#entryOf(row);
      if (collapseId !== '') set.collapseIds.add(collapseId);
      if (hash !== '') set.hashes.add(hash);
    }
    devices.forEach((device, i) => {
      device.collapseIds.push(...sets[i]!.collapseIds);
      device.hashes.push(...sets[i]!.hashes);
    });
  }

  /** Usually that of the previous push. */
  #messageNumber(hash: string, length: number): number {
    if (length !== this.#lastMessage.length || !hash.startsWith(this.#lastMessage)) {
      this.#lastMessage = hash.slice(0, length);
      this.#lastNumber = this.#messages.intern(this.#lastMessage);
    }
    return this.#lastNumber;
  }

  #accept(token: number, message: number, anonymous: boolean, collapse: number): void {
    this.#acceptedOf = grown(this.#acceptedOf, token + 1);
    if (this.#acceptedOf[token]!++ === 0) this.#distinct++;
    if (anonymous) {
      this.#unidentified++;
      return;
    }
    const first = this.#pairs.record(token, message, collapse);
    if (first < 0) return;
    this.#duplicates++;
    if (collapse !== 0 && first === collapse) this.#masked++;
  }

  #entryOf(row: number): LedgerEntry {
    const { token, message, at, status, reason, collapseId, id, tail, payload } = this.#entries.read(row);
    return {
      row,
      token: this.#tokens.get(token),
      id: id === '' ? this.#identify(row) : id,
      collapseId,
      hash: this.#messages.get(message) + tail,
      status,
      reason: this.#reasons[reason]!,
      at,
      ...(payload === undefined ? {} : { payload }),
    };
  }

  #numbersOf({ token, reason }: EntryFilter): [token: number, reason: number] {
    const ofToken = token === undefined ? ANY : (this.#tokens.find(token) ?? NONE);
    const ofReason = reason === undefined ? ANY : (this.#reasonNumbers.get(reason) ?? NONE);
    return [ofToken, ofReason];
  }

  #numberOf(reason: string): number {
    const existing = this.#reasonNumbers.get(reason);
    if (existing !== undefined) return existing;
    const number = this.#reasons.push(reason) - 1;
    this.#reasonNumbers.set(reason, number);
    this.#byReason.push(0);
    return number;
  }
}
