import { TagType } from '@tidings/events';
import { Fault, parseDate } from '@tidings/kernel';
import type { Accounts, JobEntry } from '@tidings/rpc';

const MAX_NAME = 255;
const DATE_TIME = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}$/;

/** The type of a tag that is made for its first value; undefined for values that tell of none (R-G6). */
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

/** What the first value of each tag makes it, for names that a tag can have. */
export function typesIn(entries: readonly JobEntry[]): Map<string, TagType> {
  const types = new Map<string, TagType>();
  for (const { tags = {} } of entries) {
    for (const [name, value] of Object.entries(tags)) {
      if (types.has(name)) continue;
      const type = typeFor(value);
      if (type !== undefined && isName(name)) types.set(name, type);
    }
  }
  return types;
}

/** Makes the tags that the entries name and the account lacks. Values are per account: that is what a new tag is by default. */
export async function makeMissingTags(
  accounts: Pick<Accounts, 'addTag' | 'listTags'>,
  account: string,
  entries: readonly JobEntry[],
): Promise<void> {
  const types = typesIn(entries);
  if (types.size === 0) return;
  const { tags } = await accounts.listTags({ account });
  for (const { name } of tags) types.delete(name);
  await Promise.all(
    [...types].map(([name, type]) =>
      accounts.addTag({ account, name, type, applicationSpecific: false }).catch((thrown: unknown) => {
        // Somebody else has made it meanwhile.
        if (!(thrown instanceof Fault) || thrown.kind !== 'argument') throw thrown;
      }),
    ),
  );
}
