import { MAX_TAGS_AT_ONCE } from '@tidings/audience';
import { TagType } from '@tidings/events';
import { parseDate } from '@tidings/kernel';
import type { EntryOutcome, JobEntry, Tags } from '@tidings/rpc';

const MAX_NAME = 255;
const DATE_TIME = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}$/;

export function typeFor(value: unknown): TagType | undefined {
  switch (typeof value) {
    case 'boolean':
      return TagType.TAG_TYPE_BOOLEAN;
    case 'number':
      return Number.isInteger(value) ? TagType.TAG_TYPE_INTEGER : TagType.TAG_TYPE_DECIMAL;
    case 'string':
      return DATE_TIME.test(value) && parseDate(value) ? TagType.TAG_TYPE_DATE : TagType.TAG_TYPE_STRING;
    default:
      return Array.isArray(value) ? TagType.TAG_TYPE_LIST : undefined;
  }
}

const isName = (name: string): boolean => name !== '' && name === name.trim() && [...name].length <= MAX_NAME;

export function typesIn(entries: readonly JobEntry[]): Map<string, TagType> {
  const types = new Map<string, TagType>();
  for (const { tags = {}, integers } of entries) {
    const long = new Set(integers);
    for (const [name, value] of Object.entries(tags)) {
      if (types.has(name)) continue;
      const type = long.has(name) ? TagType.TAG_TYPE_INTEGER : typeFor(value);
      if (type !== undefined && isName(name)) types.set(name, type);
    }
  }
  return types;
}

export interface RefusedTags {
  readonly names: ReadonlySet<string>;
  readonly reason: string;
}

const NONE: RefusedTags = { names: new Set(), reason: '' };

export async function addMissingTags(
  tags: Pick<Tags, 'addMissingTags' | 'listTags'>,
  account: string,
  entries: readonly JobEntry[],
): Promise<RefusedTags> {
  const types = typesIn(entries);
  if (types.size === 0) return NONE;
  const { tags: existing } = await tags.listTags({ account });
  for (const { name } of existing) types.delete(name);
  const missing = [...types].map(([name, type]) => ({ name, type }));
  for (let from = 0; from < missing.length; from += MAX_TAGS_AT_ONCE) {
    const to = from + MAX_TAGS_AT_ONCE;
    const { refused, reason } = await tags.addMissingTags({ account, tags: missing.slice(from, to) });
    if (refused.length > 0)
      return { names: new Set([...refused, ...missing.slice(to).map(({ name }) => name)]), reason };
  }
  return NONE;
}

export const withReason = (outcomes: readonly EntryOutcome[], { names, reason }: RefusedTags): EntryOutcome[] =>
  outcomes.map((outcome) => {
    const refusedTags = Object.entries(outcome.refusedTags).map(([name, text]) => [
      name,
      names.has(name) ? reason : text,
    ]);
    return { ...outcome, refusedTags: Object.fromEntries(refusedTags) as EntryOutcome['refusedTags'] };
  });
