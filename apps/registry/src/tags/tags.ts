import { defaultTagList, type TagDefinition } from '@tidings/audience';
import type { AccountStore } from '../accounts/store.ts';

/** The tags of an account, default tags included. */
export interface TagSet {
  named(name: string): TagDefinition | undefined;
  numbered(number: number): TagDefinition | undefined;
  readonly all: readonly TagDefinition[];
}

function tagSet(own: readonly TagDefinition[]): TagSet {
  const all = [...defaultTagList, ...own];
  const byName = new Map(all.map((tag) => [tag.name, tag]));
  const byNumber = new Map(all.map((tag) => [tag.number, tag]));
  return { named: (name) => byName.get(name), numbered: (number) => byNumber.get(number), all };
}

/**
 * The tags of every account, each read once, and again when a name is not among them and the account has new ones: a tag can be used as
 * soon as it was added, on any replica.
 */
export interface Tags {
  /** A set that has all of `names` that exist. */
  of(account: string, names?: Iterable<string>): Promise<TagSet>;
  /** The set as it was last read, undefined before the first time. */
  known(account: string): TagSet | undefined;
  /** Reads the set anew. */
  read(account: string): Promise<TagSet>;
}

export function openTags(store: AccountStore): Tags {
  const known = new Map<string, TagSet>();
  const read = async (account: string): Promise<TagSet> => {
    const set = tagSet(await store.tags(account));
    known.set(account, set);
    return set;
  };
  return {
    known: (account) => known.get(account),
    read,
    async of(account, names = []) {
      const set = known.get(account);
      if (!set) return read(account);
      for (const name of names) {
        if (set.named(name)) continue;
        return (await store.tagsMade(account)) > set.all.length - defaultTagList.length ? read(account) : set;
      }
      return set;
    },
  };
}
