export type Fields = ReadonlyMap<string, string>;

const LINES_MAX = 1_000;
export const FIELDS_MAX = 200;
export const FIELD_LENGTH_MAX = 1_000;

class FieldReader {
  readonly fields = new Map<string, string>();
  #name: string | undefined;

  add(line: string): void {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0)).trimEnd().toLowerCase();
    this.#name = name === '' || this.fields.has(name) || this.fields.size >= FIELDS_MAX ? undefined : name;
    if (this.#name !== undefined) this.fields.set(name, line.slice(colon + 1).trimStart());
  }

  continue(line: string): void {
    if (this.#name === undefined) return;
    const value = this.fields.get(this.#name)!;
    if (value.length < FIELD_LENGTH_MAX) this.fields.set(this.#name, `${value} ${line.trimStart()}`);
  }
}

export function readFields(text: string, from = 0): { readonly fields: Fields; readonly end: number } {
  const reader = new FieldReader();
  let at = from;
  for (let lines = 0; at < text.length && lines < LINES_MAX; lines++) {
    const found = text.indexOf('\n', at);
    const next = found < 0 ? text.length : found + 1;
    // Cut before anything looks at it: lines have no limit.
    const line = text.slice(at, Math.min(next, at + FIELD_LENGTH_MAX)).trimEnd();
    const isContinued = /[ \t]/.test(text.charAt(at));
    at = next;
    if (line === '') break;
    if (isContinued) reader.continue(line);
    else reader.add(line);
  }
  return { fields: reader.fields, end: at };
}

const TOKENS = /"(?:[^"\\]|\\.)*"|\\.|[()]|[^"\\()]+|["\\]/gs;

export function withoutComments(value: string): string {
  let depth = 0;
  let kept = '';
  for (const [token] of value.slice(0, FIELD_LENGTH_MAX).matchAll(TOKENS)) {
    if (token === '(') depth++;
    else if (token === ')') depth = Math.max(0, depth - 1);
    else if (depth === 0) kept += token;
  }
  return kept.replace(/\s+/g, ' ').trim();
}

export const wordIn = (fields: Fields, name: string): string =>
  withoutComments(fields.get(name) ?? '')
    .split(';', 1)[0]!
    .trim()
    .toLowerCase();
