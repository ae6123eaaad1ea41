import type { Credit, DeviceAction, MessageOpen } from '@tidings/delivery';

/** Devices with neighbouring positions whose activity shares a document. */
export const BLOCK_SIZE = 256;
const DAY_SECONDS = 86_400;
/** Days before that of an event whose opens decide on its credit: the day before for the 24 hours, and one more for repeats of opens (R-C11). */
export const LOOKBACK_DAYS = 2;

/** Per device and day. What exceeds them is not counted, so that no client can make a document grow without bound. */
const MAX_OPENS = 100;
const MAX_EVENTS = 500;
/** Distinct names of events per block and day. */
const MAX_NAMES = 1_000;

/** The devices of a block on one day of UTC. */
export interface ActivityKey {
  readonly application: string;
  readonly chunk: number;
  readonly block: number;
  /** Days since 1970 UTC. */
  readonly day: number;
}

export const activityId = ({ application, chunk, block, day }: ActivityKey): string =>
  `${application}/${chunk}/${block}/${day}`;

/** The key that an id was made of. */
export function activityKeyOf(id: string): ActivityKey {
  const [application = '', chunk, block, day] = id.split('/');
  return { application, chunk: Number(chunk), block: Number(block), day: Number(day) };
}

/** The day of a second since 1970 UTC. */
export const dayOf = (second: number): number => Math.floor(second / DAY_SECONDS);
export const blockOf = (position: number): number => Math.floor(position / BLOCK_SIZE);

/** A {@link DeviceAction} with the place of its event in the log of its device, which tells repeats from further events. */
export interface Action extends DeviceAction {
  readonly commit: number;
  readonly index: number;
}

const compare = (a: string | number, b: string | number): number => (a < b ? -1 : a > b ? 1 : 0);
const byOpen = (a: MessageOpen, b: MessageOpen): number =>
  a.position - b.position || a.second - b.second || compare(a.message, b.message) || a.platform - b.platform;
const byAction = (a: Action, b: Action): number =>
  a.position - b.position || a.second - b.second || a.commit - b.commit || a.index - b.index;

/** At most `max` rows of each device, the earliest ones. @param rows ordered by device and time */
function capped<Row extends { readonly position: number }>(rows: readonly Row[], max: number): Row[] {
  let [device, count] = [-1, 0];
  return rows.filter(({ position }) => {
    if (position !== device) [device, count] = [position, 0];
    return ++count <= max;
  });
}

/** Rows without later rows of the same key. @param rows in ascending order */
function firstOf<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Row[] {
  const known = new Set<string>();
  return rows.filter((row) => {
    const key = keyOf(row);
    return !known.has(key) && known.add(key);
  });
}

/** The union of opens, each at its earliest time; commutative and idempotent, the limit included. */
export const mergeOpens = (all: readonly MessageOpen[]): MessageOpen[] =>
  capped(
    firstOf(all.toSorted(byOpen), ({ position, message }) => `${position}/${message}`),
    MAX_OPENS,
  );

/** The union of actions, each once; commutative and idempotent. */
export function mergeActions(all: readonly Action[]): Action[] {
  const once = firstOf(all.toSorted(byAction), ({ position, commit, index }) => `${position}/${commit}/${index}`);
  const names = [...new Set(once.map(({ name }) => name))];
  if (names.length <= MAX_NAMES) return capped(once, MAX_EVENTS);
  const kept = new Set(names.sort().slice(0, MAX_NAMES));
  return capped(
    once.filter(({ name }) => kept.has(name)),
    MAX_EVENTS,
  );
}

/** Rows as they are stored: texts once, and bytes with indexes into them. Positions are within the block. */
export interface Encoded {
  readonly messages: string[];
  readonly names: string[];
  readonly rows: Uint8Array;
}

/** Gives each text of a list a number. */
function numbersOf(texts: string[]): (text: string) => number {
  const known = new Map<string, number>();
  return (text) => {
    let number = known.get(text);
    if (number === undefined) {
      known.set(text, (number = texts.length));
      texts.push(text);
    }
    return number;
  };
}

const OPEN_BYTES = 8;
const ACTION_BYTES = 25;
const CREDIT_BYTES = 18;

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

export const encodeOpens = (opens: readonly MessageOpen[]): Encoded =>
  encode(opens, OPEN_BYTES, (view, at, { position, platform, message, second }, numberOf) => {
    view.setUint8(at, position % BLOCK_SIZE);
    view.setUint8(at + 1, platform);
    view.setUint16(at + 2, numberOf.message(message));
    view.setUint32(at + 4, second);
  });

export const decodeOpens = ({ messages, rows }: Omit<Encoded, 'names'>, block: number): MessageOpen[] =>
  decode(rows, OPEN_BYTES, (view, at) => ({
    position: block * BLOCK_SIZE + view.getUint8(at),
    platform: view.getUint8(at + 1),
    message: messages[view.getUint16(at + 2)]!,
    second: view.getUint32(at + 4),
  }));

/** A number that may be absent: NaN stands for none, since no amount is NaN. */
const orNaN = (value: number | undefined): number => value ?? Number.NaN;
const unlessNaN = (value: number): number | undefined => (Number.isNaN(value) ? undefined : value);

export const encodeActions = (actions: readonly Action[]): Encoded =>
  encode(actions, ACTION_BYTES, (view, at, { position, second, name, amount, commit, index }, numberOf) => {
    view.setUint8(at, position % BLOCK_SIZE);
    view.setUint16(at + 1, numberOf.name(name));
    view.setUint32(at + 3, second);
    view.setFloat64(at + 7, commit);
    view.setUint16(at + 15, index);
    view.setFloat64(at + 17, orNaN(amount));
  });

export const decodeActions = ({ names, rows }: Omit<Encoded, 'messages'>, block: number): Action[] =>
  decode(rows, ACTION_BYTES, (view, at) => ({
    position: block * BLOCK_SIZE + view.getUint8(at),
    name: names[view.getUint16(at + 1)]!,
    second: view.getUint32(at + 3),
    commit: view.getFloat64(at + 7),
    index: view.getUint16(at + 15),
    amount: unlessNaN(view.getFloat64(at + 17)),
  }));

export const encodeCredits = (credits: readonly Credit[]): Encoded =>
  encode(credits, CREDIT_BYTES, (view, at, { position, platform, message, name, hits, revenue }, numberOf) => {
    view.setUint8(at, position % BLOCK_SIZE);
    view.setUint8(at + 1, platform);
    view.setUint16(at + 2, numberOf.message(message));
    view.setUint16(at + 4, numberOf.name(name));
    view.setUint32(at + 6, hits);
    view.setFloat64(at + 10, orNaN(revenue));
  });

export const decodeCredits = ({ messages, names, rows }: Encoded, block: number): Credit[] =>
  decode(rows, CREDIT_BYTES, (view, at) => ({
    position: block * BLOCK_SIZE + view.getUint8(at),
    platform: view.getUint8(at + 1),
    message: messages[view.getUint16(at + 2)]!,
    name: names[view.getUint16(at + 4)]!,
    hits: view.getUint32(at + 6),
    revenue: unlessNaN(view.getFloat64(at + 10)),
  }));
