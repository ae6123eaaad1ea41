/** Header fields by their lower-case names, unfolded. Of fields with the same name the first one counts. */
export type Fields = ReadonlyMap<string, string>;

/** A part of a mail (RFC 2045): its fields, and its body as it was sent, a character for each byte. */
export interface MimePart {
  readonly fields: Fields;
  /** Such as `text/plain`, in lower case. */
  readonly type: string;
  /** Parameters of the type by their lower-case names. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly body: string;
  /** The parts of a multipart; parts of an embedded mail are not read. */
  readonly parts: readonly MimePart[];
}

/** Bounds on what is read of a mail, whose sender is a stranger: what exceeds them is skipped. */
const LIMITS = {
  levels: 6,
  parts: 64,
  lines: 1_000,
  fields: 200,
  fieldLength: 1_000,
  text: 65_536,
  boundary: 70,
} as const;

class FieldReader {
  readonly fields = new Map<string, string>();
  /** The field that the next line may continue; undefined = one that is skipped. */
  #name: string | undefined;

  add(line: string): void {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0)).trimEnd().toLowerCase();
    this.#name = name === '' || this.fields.has(name) || this.fields.size >= LIMITS.fields ? undefined : name;
    if (this.#name !== undefined) this.fields.set(name, line.slice(colon + 1).trimStart());
  }

  continue(line: string): void {
    if (this.#name === undefined) return;
    const value = this.fields.get(this.#name)!;
    if (value.length < LIMITS.fieldLength) this.fields.set(this.#name, `${value} ${line.trimStart()}`);
  }
}

/** The fields from an offset to the next empty line, and the offset behind it. Of more lines the rest counts as body. */
export function readFields(text: string, from = 0): { readonly fields: Fields; readonly end: number } {
  const reader = new FieldReader();
  let at = from;
  for (let lines = 0; at < text.length && lines < LIMITS.lines; lines++) {
    const found = text.indexOf('\n', at);
    const next = found < 0 ? text.length : found + 1;
    // Cut before anything looks at it: lines have no limit.
    const line = text.slice(at, Math.min(next, at + LIMITS.fieldLength)).trimEnd();
    const isContinued = /[ \t]/.test(text.charAt(at));
    at = next;
    if (line === '') break;
    if (isContinued) reader.continue(line);
    else reader.add(line);
  }
  return { fields: reader.fields, end: at };
}

const PARAMETER = /;\s*([^\s=;"]+)\s*=\s*(?:"([^"]*)"|([^\s;]*))/g;

function readType(value: string): Pick<MimePart, 'type' | 'parameters'> {
  const parameters = new Map<string, string>();
  for (const [, name = '', quoted, plain = ''] of value.matchAll(PARAMETER)) {
    if (!parameters.has(name.toLowerCase())) parameters.set(name.toLowerCase(), quoted ?? plain);
  }
  return { type: value.split(';', 1)[0]!.trim().toLowerCase(), parameters };
}

/** The offset of the next line. */
function behindLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end + 1;
}

/** The bodies between the delimiter lines of a multipart. Only beginnings of lines are compared: a body may resemble a delimiter everywhere. */
function* between(text: string, boundary: string): Generator<string> {
  const delimiter = `--${boundary}`;
  let begin = -1;
  for (let at = 0; at < text.length; at = behindLine(text, at)) {
    if (!text.startsWith(delimiter, at)) continue;
    const end = at + delimiter.length;
    const isLast = text.startsWith('--', end);
    if (!isLast && end < text.length && !/\s/.test(text[end]!)) continue;
    if (begin >= 0) yield text.slice(begin, at);
    if (isLast) return;
    begin = behindLine(text, at);
  }
  // A mail that was cut has no last delimiter.
  if (begin >= 0) yield text.slice(begin);
}

class Reader {
  #left: number = LIMITS.parts;

  read(text: string, level: number): MimePart {
    this.#left--;
    const { fields, end } = readFields(text);
    const { type, parameters } = readType(fields.get('content-type') ?? 'text/plain');
    const body = text.slice(end);
    return {
      fields,
      type,
      parameters,
      body,
      parts: this.#partsOf(type, parameters.get('boundary') ?? '', body, level),
    };
  }

  #partsOf(type: string, boundary: string, body: string, level: number): MimePart[] {
    if (
      !type.startsWith('multipart/') ||
      boundary === '' ||
      boundary.length > LIMITS.boundary ||
      level >= LIMITS.levels
    )
      return [];
    const parts: MimePart[] = [];
    for (const text of between(body, boundary)) {
      if (this.#left <= 0) break;
      parts.push(this.read(text, level + 1));
    }
    return parts;
  }
}

/** The parts of a mail. Nothing is malformed: what cannot be read is missing. The work is linear in the length of the mail. */
export const readMail = (bytes: Buffer): MimePart => new Reader().read(bytes.toString('latin1'), 0);

/** All parts of a part, itself included, the outer ones first. */
export function* partsOf(part: MimePart): Generator<MimePart> {
  yield part;
  for (const inner of part.parts) yield* partsOf(inner);
}

const fromQuotedPrintable = (text: string): string =>
  text
    .replace(/=[ \t]*\r?\n/g, '')
    .replace(/=([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));

/** The beginning of a part's body, decoded; at most 64 KiB of it. */
export function textOf({ fields, body }: MimePart): string {
  const text = body.slice(0, LIMITS.text);
  switch (fields.get('content-transfer-encoding')?.trim().toLowerCase()) {
    case 'base64':
      return Buffer.from(text, 'base64').toString('latin1');
    case 'quoted-printable':
      return fromQuotedPrintable(text);
    default:
      return text;
  }
}
