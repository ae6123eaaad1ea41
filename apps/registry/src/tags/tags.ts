import { defaultTagList, type TagDefinition } from '@tidings/audience';
import type { AccountStore } from '../accounts/store.ts';

/**
 * What is known of tags may be this old where unknown ones are skipped anyway: clients that send some always must not cost a query each.
 * A new tag is answered only when no replica of the registry knows so old a set any more.
 */
export const TAG_PATIENCE_MS = 250;

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

/** The tags of every account, each read once, and again when a name is not among them and the account has new ones. */
export interface Tags {
  /**
   * A set that has all of `names` that exist. What this process added is among them at once, what others added after `patienceMs` at the
   * latest: nothing is asked where that was asked so recently. @default 0: at once
   */
  of(account: string, names?: Iterable<string>, patienceMs?: number): Promise<TagSet>;
  /** The set as it was last read, undefined before the first time. */
  known(account: string): TagSet | undefined;
  /** Reads the set anew. */
  read(account: string): Promise<TagSet>;
}

interface Known {
  readonly set: TagSet;
  /** When it was last seen to be complete, by `performance.now()`. */
  completeAt: number;
}

export function openTags(store: AccountStore): Tags {
  const sets = new Map<string, Known>();
  const read = async (account: string): Promise<TagSet> => {
    const completeAt = performance.now();
    const set = tagSet(await store.tags(account));
    const known = sets.get(account);
    if (!known || known.completeAt <= completeAt) sets.set(account, { set, completeAt });
    return set;
  };
  /** The set, read anew if the account has tags that are not in it. */
  const complete = async (account: string, known: Known): Promise<TagSet> => {
    const asked = performance.now();
    const made = await store.tagsMade(account);
    if (made > known.set.all.length - defaultTagList.length) return read(account);
    known.completeAt = Math.max(known.completeAt, asked);
    return known.set;
  };
  return {
    known: (account) => sets.get(account)?.set,
    read,
    async of(account, names = [], patienceMs = 0) {
      const known = sets.get(account);
      if (!known) return read(account);
      for (const name of names) {
        if (known.set.named(name)) continue;
        return performance.now() - known.completeAt < patienceMs ? known.set : complete(account, known);
      }
      return known.set;
    },
  };
}
