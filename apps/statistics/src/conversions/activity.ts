import type { Credit, DeviceAction, MessageOpen } from '@tidings/delivery';

export type ActivityPart = 'opens' | 'events';

/** An event rewrites its block; the opens of a broadcast concern whole chunks. */
export const BLOCK_SIZES: Readonly<Record<ActivityPart, number>> = { opens: 4096, events: 1024 };
const DAY_SECONDS = 86_400;
/** One day is for the 24 hours, one for repeats of opens (R-C11). */
export const LOOKBACK_DAYS = 2;

/** A document has at most 14 MB, whatever clients send. */
const MAX_OPENS = 50;
const MAX_EVENTS = 200;
const MAX_NAMES = 64;
const MAX_NAME_BYTES = 1_024;

export interface ActivityKey {
  readonly application: string;
  readonly chunk: number;
  readonly block: number;
  readonly day: number;
}

export const activityId = (part: ActivityPart, { application, chunk, block, day }: ActivityKey): string =>
  `${application}/${chunk}/${part}/${day}/${block}`;

export function activityKeyOf(id: string): ActivityKey & { readonly part: ActivityPart } {
  const [application = '', chunk, part, day, block] = id.split('/');
  return { application, chunk: Number(chunk), part: part as ActivityPart, block: Number(block), day: Number(day) };
}

export const activityIdsOf = (
  part: ActivityPart,
  { application, chunk }: Pick<ActivityKey, 'application' | 'chunk'>,
  [first, last]: readonly [first: number, last: number],
): { $gt: string; $lt: string } => {
  const prefix = `${application}/${chunk}/${part}/`;
  return { $gt: `${prefix}${first}/`, $lt: `${prefix}${last}0` };
};

export const dayOf = (second: number): number => Math.floor(second / DAY_SECONDS);
export const blockOf = (part: ActivityPart, position: number): number => Math.floor(position / BLOCK_SIZES[part]);

export const openBlockOf = (eventBlock: number): number => blockOf('opens', eventBlock * BLOCK_SIZES.events);

export interface Action extends DeviceAction {
  readonly commit: number;
  readonly index: number;
}

const byAction = (a: Action, b: Action): number =>
  a.position - b.position || a.second - b.second || a.commit - b.commit || a.index - b.index;

/** The row that reaches a limit excludes later rows from any further union. */
function capped(rows: readonly Action[]): Action[] {
  let [device, count, bytes] = [-1, 0, 0];
  const names = new Set<string>();
  return rows.filter(({ position, name }) => {
    if (position !== device) {
      [device, count, bytes] = [position, 0, 0];
      names.clear();
    }
    if (count === MAX_EVENTS || names.size === MAX_NAMES || bytes >= MAX_NAME_BYTES) return false;
    count++;
    if (!names.has(name)) bytes += Buffer.byteLength(name);
    names.add(name);
    return true;
  });
}

function firstOf<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Row[] {
  const seen = new Set<string>();
  return rows.filter((row) => {
    const key = keyOf(row);
    return !seen.has(key) && seen.add(key);
  });
}

export function mergeActions(all: readonly Action[]): Action[] {
  const distinct = firstOf(all.toSorted(byAction), ({ position, commit, index }) => `${position}/${commit}/${index}`);
  return capped(distinct);
}

export interface Encoded {
  readonly messages: string[];
  readonly names: string[];
  readonly rows: Uint8Array;
}

export interface DeviceOpens {
  readonly message: string;
  readonly platform: number;
  readonly positions: number[];
  readonly seconds: number[];
}

export type OpenRows = Omit<Encoded, 'names'>;

/** A row is a number below 2^53: 29 + 18 + 6 bits. */
const RANKS = 2 ** 18;
const PLATFORMS = 2 ** 6;

function ordered(
  day: number,
  stored: OpenRows | undefined,
  added: readonly DeviceOpens[],
  messages: readonly string[],
): Float64Array {
  const rankOf = new Map(messages.map((message, rank) => [message, rank]));
  const storedRows = (stored?.rows.length ?? 0) / OPEN_BYTES;
  const rows = new Float64Array(added.reduce((sum, { positions }) => sum + positions.length, storedRows));
  const start = day * DAY_SECONDS;
  let n = 0;
  const add = (position: number, second: number, rank: number, platform: number): void => {
    rows[n++] = ((position * DAY_SECONDS + second - start) * RANKS + rank) * PLATFORMS + platform;
  };
  if (stored) {
    const view = new DataView(stored.rows.buffer, stored.rows.byteOffset, stored.rows.byteLength);
    const ranks = stored.messages.map((message) => rankOf.get(message)!);
    for (let at = 0; at < view.byteLength; at += OPEN_BYTES) {
      add(view.getUint16(at), view.getUint32(at + 7), ranks[view.getUint32(at + 3)]!, view.getUint8(at + 2));
    }
  }
  for (const { message, platform, positions, seconds } of added) {
    const rank = rankOf.get(message)!;
    for (let i = 0; i < positions.length; i++) add(positions[i]! % BLOCK_SIZES.opens, seconds[i]!, rank, platform);
  }
  return rows.sort();
}

/** Every open of a broadcast passes here, hence numbers. Commutative and idempotent. */
export function mergeOpens(day: number, stored: OpenRows | undefined, added: readonly DeviceOpens[]): OpenRows {
  const all = [...new Set([...(stored?.messages ?? []), ...added.map(({ message }) => message)])].sort();
  const rows = ordered(day, stored, added, all);
  const view = new DataView(new ArrayBuffer(rows.length * OPEN_BYTES));
  const messages: string[] = [];
  const indexes = new Int32Array(all.length).fill(-1);
  // V8 reallocates the elements of an ordinary array after each emptying.
  const ranks = new Int32Array(MAX_OPENS);
  let opens = 0;
  let [at, last] = [0, -1];
  for (const row of rows) {
    // A remainder is slow above 2^31.
    const ranked = Math.floor(row / PLATFORMS);
    const time = Math.floor(ranked / RANKS);
    const position = Math.floor(time / DAY_SECONDS);
    const [platform, rank] = [row - ranked * PLATFORMS, ranked - time * RANKS];
    if (position !== last) [last, opens] = [position, 0];
    if (opens === MAX_OPENS || isAmong(ranks, opens, rank)) continue;
    ranks[opens++] = rank;
    if (indexes[rank] === -1) indexes[rank] = messages.push(all[rank]!) - 1;
    view.setUint16(at, position);
    view.setUint8(at + 2, platform);
    view.setUint32(at + 3, indexes[rank]!);
    view.setUint32(at + 7, (day - position) * DAY_SECONDS + time);
    at += OPEN_BYTES;
  }
  return { messages, rows: new Uint8Array(view.buffer, 0, at) };
}

function isAmong(numbers: Int32Array, count: number, number: number): boolean {
  for (let i = 0; i < count; i++) if (numbers[i] === number) return true;
  return false;
}

function numbersOf(texts: string[]): (text: string) => number {
  const numbers = new Map<string, number>();
  return (text) => {
    let number = numbers.get(text);
    if (number === undefined) {
      numbers.set(text, (number = texts.length));
      texts.push(text);
    }
    return number;
  };
}

const OPEN_BYTES = 11;
const ACTION_BYTES = 26;
const CREDIT_BYTES = 21;

function encode<Row>(
  rows: readonly Row[],
  size: number,
  write: (
    view: DataView,
    at: number,
    row: Row,
    numberOf: { message: (text: string) => number; name: (text: string) => number },
  ) => void,
): Encoded {
  const [messages, names]: [string[], string[]] = [[], []];
  const numberOf = { message: numbersOf(messages), name: numbersOf(names) };
  const bytes = new Uint8Array(rows.length * size);
  const view = new DataView(bytes.buffer);
  rows.forEach((row, i) => write(view, i * size, row, numberOf));
  return { messages, names, rows: bytes };
}

function decode<Row>(rows: Uint8Array, size: number, read: (view: DataView, at: number) => Row): Row[] {
  const view = new DataView(rows.buffer, rows.byteOffset, rows.byteLength);
  return Array.from({ length: rows.length / size }, (_, i) => read(view, i * size));
}

export const decodeOpens = ({ messages, rows }: OpenRows, block: number): MessageOpen[] =>
  decode(rows, OPEN_BYTES, (view, at) => ({
    position: block * BLOCK_SIZES.opens + view.getUint16(at),
    platform: view.getUint8(at + 2),
    message: messages[view.getUint32(at + 3)]!,
    second: view.getUint32(at + 7),
  }));

export function decodeOpensOf({ messages, rows }: OpenRows, eventBlock: number): MessageOpen[] {
  const first = (eventBlock * BLOCK_SIZES.events) % BLOCK_SIZES.opens;
  const [from, to] = [rowIndexFrom(rows, first), rowIndexFrom(rows, first + BLOCK_SIZES.events)];
  return decodeOpens({ messages, rows: rows.subarray(from, to) }, openBlockOf(eventBlock));
}

function rowIndexFrom(rows: Uint8Array, position: number): number {
  const view = new DataView(rows.buffer, rows.byteOffset, rows.byteLength);
  let [low, high] = [0, rows.length / OPEN_BYTES];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (view.getUint16(middle * OPEN_BYTES) < position) low = middle + 1;
    else high = middle;
  }
  return low * OPEN_BYTES;
}

const orNaN = (value: number | undefined): number => value ?? Number.NaN;
const unlessNaN = (value: number): number | undefined => (Number.isNaN(value) ? undefined : value);

export const encodeActions = (actions: readonly Action[]): Encoded =>
  encode(actions, ACTION_BYTES, (view, at, { position, second, name, amount, commit, index }, numberOf) => {
    view.setUint16(at, position % BLOCK_SIZES.events);
    view.setUint16(at + 2, numberOf.name(name));
    view.setUint32(at + 4, second);
    view.setFloat64(at + 8, commit);
    view.setUint16(at + 16, index);
    view.setFloat64(at + 18, orNaN(amount));
  });

export const decodeActions = ({ names, rows }: Omit<Encoded, 'messages'>, block: number): Action[] =>
  decode(rows, ACTION_BYTES, (view, at) => ({
    position: block * BLOCK_SIZES.events + view.getUint16(at),
    name: names[view.getUint16(at + 2)]!,
    second: view.getUint32(at + 4),
    commit: view.getFloat64(at + 8),
    index: view.getUint16(at + 16),
    amount: unlessNaN(view.getFloat64(at + 18)),
  }));

export const encodeCredits = (credits: readonly Credit[]): Encoded =>
  encode(credits, CREDIT_BYTES, (view, at, { position, platform, message, name, hits, revenue }, numberOf) => {
    view.setUint16(at, position % BLOCK_SIZES.events);
    view.setUint8(at + 2, platform);
    view.setUint32(at + 3, numberOf.message(message));
    view.setUint16(at + 7, numberOf.name(name));
    view.setUint32(at + 9, hits);
    view.setFloat64(at + 13, orNaN(revenue));
  });

export const decodeCredits = ({ messages, names, rows }: Encoded, block: number): Credit[] =>
  decode(rows, CREDIT_BYTES, (view, at) => ({
    position: block * BLOCK_SIZES.events + view.getUint16(at),
    platform: view.getUint8(at + 2),
    message: messages[view.getUint32(at + 3)]!,
    name: names[view.getUint16(at + 7)]!,
    hits: view.getUint32(at + 9),
    revenue: unlessNaN(view.getFloat64(at + 13)),
  }));
