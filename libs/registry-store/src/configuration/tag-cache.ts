import { defaultTagList, type TagDefinition } from '@tidings/audience';
import type { Configuration } from './configuration.ts';

/** Where unknown tags are skipped. Changes are answered only when no replica caches an older set. */
export const TAG_PATIENCE_MS = 250;

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

export interface Tags {
  /** Unknown names trigger a read unless one happened within `patienceMs`. @default 0: always */
  of(account: string, names?: Iterable<string>, patienceMs?: number): Promise<TagSet>;
  known(account: string): TagSet | undefined;
  read(account: string): Promise<TagSet>;
}

interface Known {
  readonly set: TagSet;
  readonly version: number;
  currentAt: number;
}

const hasAll = (set: TagSet, names: Iterable<string>): boolean => {
  for (const name of names) if (!set.named(name)) return false;
  return true;
};

export function openTags(store: Pick<Configuration, 'tags' | 'tagsVersion'>): Tags {
  const sets = new Map<string, Known>();
  const read = async (account: string): Promise<TagSet> => {
    const currentAt = performance.now();
    const version = await store.tagsVersion(account);
    const set = tagSet(await store.tags(account));
    const known = sets.get(account);
    if (!known || known.currentAt <= currentAt) sets.set(account, { set, version, currentAt });
    return set;
  };
  const current = async (account: string, known: Known): Promise<TagSet> => {
    const asked = performance.now();
    if ((await store.tagsVersion(account)) > known.version) return read(account);
    known.currentAt = Math.max(known.currentAt, asked);
    return known.set;
  };
  return {
    known: (account) => sets.get(account)?.set,
    read,
    async of(account, names = [], patienceMs = 0) {
      const known = sets.get(account);
      if (!known) return read(account);
      const patience = hasAll(known.set, names) ? TAG_PATIENCE_MS : patienceMs;
      return performance.now() - known.currentAt < patience ? known.set : current(account, known);
    },
  };
}
