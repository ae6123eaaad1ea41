import { setMember } from '@tidings/kernel';
import type { ExactReader } from './exact-numbers.ts';
import { ARRAY, ARRAY_END, BACKSLASH, COLON, COMMA, OBJECT, OBJECT_END, QUOTE, STEP_BYTES } from './json-outline.ts';

type Container = unknown[] | Record<string, unknown>;

interface Open {
  readonly isList: boolean;
  readonly at: number;
  from: number;
  value: Container | undefined;
  isAfterMember: boolean;
}

const LETTER_U = 'u'.charCodeAt(0);
const [SPACE, TAB, LINE_FEED, RETURN] = [32, 9, 10, 13];
const isSpace = (byte: number | undefined): boolean =>
  byte === SPACE || byte === LINE_FEED || byte === RETURN || byte === TAB;

const malformed = (): SyntaxError => new SyntaxError('the body is no JSON object');

function isBlank(bytes: Buffer, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (!isSpace(bytes[i])) return false;
  return true;
}

function add(target: Container, part: Container): string | number | undefined {
  if (Array.isArray(target)) {
    for (const entry of part as unknown[]) target.push(entry);
    return target.length - 1;
  }
  let last: string | undefined;
  for (const name of Object.keys(part)) {
    last = name;
    setMember(target, name, (part as Record<string, unknown>)[name]);
  }
  return last;
}

function pieceEnd(bytes: Buffer, from: number, to: number): number {
  const limit = Math.min(from + STEP_BYTES, to);
  let end = from;
  while (end < limit) end += bytes[end] !== BACKSLASH ? 1 : bytes[end + 1] === LETTER_U ? 6 : 2;
  while (end < to && (bytes[end]! & 0xc0) === 0x80) end++;
  return Math.min(end, to);
}

function* longText(bytes: Buffer, from: number, to: number): Generator<void, string> {
  let text = '';
  for (let at = from; at < to;) {
    const end = pieceEnd(bytes, at, to);
    text += JSON.parse(`"${bytes.toString('utf8', at, end)}"`) as string;
    at = end;
    yield;
  }
  return text;
}

/** Steps of 32 KiB: JSON.parse would stop the process. */
export function* readJson(bytes: Buffer, reader: ExactReader, maxNesting: number): Generator<void, unknown> {
  const stack: Open[] = [];
  /** Containers, from the root on, that are parsed member by member. */
  let solid = 0;
  let root: unknown;
  let isEnded = false;

  const parsed = (open: Open, to: number, rest = ''): Container => {
    const text = `${bytes.toString('utf8', open.from, to)}${rest}`;
    return reader.parse(open.isList ? `[${text}]` : `{${text}}`) as Container;
  };
  const addMembers = (open: Open, to: number): void => {
    if (isBlank(bytes, open.from, to)) throw malformed();
    add(open.value!, parsed(open, to));
  };
  const addBefore = (open: Open, to: number, value: unknown): void => {
    if (open.isAfterMember) throw malformed();
    const name = add(open.value!, parsed(open, to, 'null'));
    if (Array.isArray(open.value)) open.value[name as number] = value;
    else setMember(open.value!, name as string, value);
  };
  const makeSolid = (): void => {
    for (; solid < stack.length; solid++) {
      const open = stack[solid]!;
      open.value = open.isList ? [] : {};
      if (solid > 0) addBefore(stack[solid - 1]!, open.at, open.value);
      else if (isBlank(bytes, 0, open.at)) root = open.value;
      else throw malformed();
    }
  };
  const memberEnded = (open: Open, at: number): void => {
    open.from = at;
    open.isAfterMember = true;
  };
  const close = (isList: boolean, at: number): void => {
    const open = stack.pop();
    if (open?.isList !== isList) throw malformed();
    const parent = stack.at(-1);
    if (open.value === undefined) {
      if (parent) return;
      root = reader.parse(bytes.toString('utf8', 0, at + 1));
    } else {
      if (!open.isAfterMember) addMembers(open, at);
      else if (!isBlank(bytes, open.from, at)) throw malformed();
      solid--;
      if (parent) memberEnded(parent, at + 1);
    }
    isEnded = parent === undefined;
  };
  const afterComma = (at: number): void => {
    const open = stack.at(-1);
    if (!open) throw malformed();
    if (open.isAfterMember) {
      if (!isBlank(bytes, open.from, at)) throw malformed();
    } else {
      const from = solid === 0 ? 0 : stack[solid - 1]!.from;
      if (at - from < STEP_BYTES) return;
      makeSolid();
      addMembers(open, at);
    }
    open.from = at + 1;
    open.isAfterMember = false;
  };
  const isName = (end: number): boolean => {
    let next = end + 1;
    while (isSpace(bytes[next])) next++;
    return bytes[next] === COLON;
  };

  let isText = false;
  let textAt = 0;
  let due = STEP_BYTES;
  for (let i = 0; i < bytes.length; i++) {
    if (i >= due) {
      yield;
      due = i + STEP_BYTES;
    }
    const byte = bytes[i];
    if (isText) {
      if (byte === BACKSLASH) i++;
      if (byte !== QUOTE) continue;
      isText = false;
      const open = stack.at(-1);
      if (!open || i - textAt < STEP_BYTES || isName(i)) continue;
      const text = yield* longText(bytes, textAt + 1, i);
      reader.check(text);
      makeSolid();
      addBefore(open, textAt, text);
      memberEnded(open, i + 1);
      continue;
    }
    switch (byte) {
      default:
        break;
      case QUOTE:
        isText = true;
        textAt = i;
        break;
      case ARRAY:
      case OBJECT:
        if (isEnded) throw malformed();
        if (stack.length === maxNesting) throw malformed();
        stack.push({ isList: byte === ARRAY, at: i, from: i + 1, value: undefined, isAfterMember: false });
        break;
      case ARRAY_END:
      case OBJECT_END:
        close(byte === ARRAY_END, i);
        break;
      case COMMA:
        afterComma(i);
        break;
    }
    if (isEnded) {
      if (!isBlank(bytes, i + 1, bytes.length)) throw malformed();
      return root;
    }
  }
  throw malformed();
}
