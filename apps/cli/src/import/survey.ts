import { addressKindOf, isPushPlatform } from '@tidings/kernel';
import { Failure } from '../session.ts';
import type { Format, FormatContext } from './formats/format.ts';
import { type Input, LIMITS } from './input-form.ts';
import { rowsOf } from './input.ts';
import type { Device, Outcome } from './outcome.ts';
import { outcomeIn } from './read-row.ts';
import { hasColumn, type Row } from './row.ts';
import { type TagTypeName, typeOfBoth, typeOfValue } from './tag-types.ts';

const MAX_TAGS = 10_000;
const MAX_REASONS = 100;
const OTHER_REASONS = 'other reasons';

export interface Skipped {
  readonly reason: string;
  readonly rows: number;
  readonly firstLine: number;
}

export interface Survey {
  readonly rows: number;
  /** Registrations by platform code. */
  readonly platforms: ReadonlyMap<number, number>;
  readonly withoutToken: number;
  readonly unsubscribed: number;
  readonly blacklisted: number;
  readonly skipped: readonly Skipped[];
  /** Of the values in the file. */
  readonly tags: ReadonlyMap<string, TagTypeName>;
  readonly unknownColumns: readonly string[];
  readonly columns: readonly string[];
  /** Subscriptions of browsers by platform code. */
  readonly browsers: ReadonlyMap<number, number>;
}

const increase = <Key>(counts: Map<Key, number>, key: Key): void => void counts.set(key, (counts.get(key) ?? 0) + 1);

class Columns {
  readonly names = new Set<string>();
  readonly unknown = new Set<string>();
  readonly #format: Format;
  #last: Row['columns'] | undefined;

  constructor(format: Format) {
    this.#format = format;
  }

  add({ columns }: Row, path: string): void {
    if (columns === this.#last) return;
    this.#last = columns;
    for (const { name, key } of columns.list) {
      this.names.add(name);
      if (!this.#format.knows(key)) this.unknown.add(name);
    }
    if (this.names.size > LIMITS.columns)
      throw new Failure(`${path} has more than ${LIMITS.columns} different columns`);
  }
}

type Reasons = Map<string, { rows: number; firstLine: number }>;

function addReason(reasons: Reasons, reason: string, line: number): void {
  const listed = reasons.has(reason) || reasons.size < MAX_REASONS ? reason : OTHER_REASONS;
  const known = reasons.get(listed);
  if (known) known.rows++;
  else reasons.set(listed, { rows: 1, firstLine: line });
}

function addTags(tags: Map<string, TagTypeName>, device: Device, path: string): void {
  for (const name in device.tags) {
    const type = typeOfValue(device.tags[name]);
    if (!type) continue;
    const before = tags.get(name);
    tags.set(name, before ? typeOfBoth(before, type) : type);
  }
  if (tags.size > MAX_TAGS)
    throw new Failure(`${path} has more than ${MAX_TAGS} tags, and an account has at most as many`);
}

function refuseOtherFormat({ path, kind }: Input, row: Row, { title, required }: Format): void {
  const missing = required.filter((name) => !hasColumn(row, name));
  if (kind === 'csv' && missing.length > 0)
    throw new Failure(`${path}, line 1: no column ${missing.join(', ')}, which an export of ${title} has`);
}

/** Reads the whole file, and changes nothing. */
export async function survey(input: Input, format: Format, context: FormatContext): Promise<Survey> {
  const platforms = new Map<number, number>();
  const browsers = new Map<number, number>();
  const skipped: Reasons = new Map();
  const tags = new Map<string, TagTypeName>();
  const columns = new Columns(format);
  let [rows, withoutToken, unsubscribed, blacklisted] = [0, 0, 0, 0];

  const count = (outcome: Outcome, { line }: Row): void => {
    switch (outcome.kind) {
      case 'skip':
        addReason(skipped, outcome.reason, line);
        return;
      case 'blacklist':
        blacklisted++;
        return;
      case 'unsubscribe':
      case 'register': {
        const { device } = outcome;
        increase(platforms, device.platform);
        if (outcome.kind === 'unsubscribe') unsubscribed++;
        if (device.push_token === '' && isPushPlatform(device.platform)) withoutToken++;
        else if (addressKindOf(device.platform) === 'endpoint') increase(browsers, device.platform);
        addTags(tags, device, input.path);
      }
    }
  };

  for await (const row of rowsOf(input)) {
    if (rows++ === 0) refuseOtherFormat(input, row, format);
    columns.add(row, input.path);
    count(outcomeIn(row, format, context), row);
  }
  return {
    rows,
    platforms,
    withoutToken,
    unsubscribed,
    blacklisted,
    skipped: [...skipped].map(([reason, each]) => ({ reason, ...each })),
    tags,
    unknownColumns: [...columns.unknown],
    columns: [...columns.names],
    browsers,
  };
}
