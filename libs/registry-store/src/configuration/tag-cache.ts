import { defaultTagList, type TagDefinition } from '@tidings/audience';
import type { Configuration } from './configuration.ts';

/** A change is answered only when no replica caches an older set. */
export const TAG_MAX_AGE_MS = 250;

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
  /** Unknown names trigger a read unless one happened within `maxAgeMs`. @default 0: always */
  of(account: string, names?: Iterable<string>, maxAgeMs?: number): Promise<TagSet>;
  cached(account: string): TagSet | undefined;
  read(account: string): Promise<TagSet>;
}

interface CachedTags {
  readonly set: TagSet;
  readonly version: number;
  currentAt: number;
}

const hasAll = (set: TagSet, names: Iterable<string>): boolean => {
  for (const name of names) if (!set.named(name)) return false;
  return true;
};

export function openTags(store: Pick<Configuration, 'tags' | 'tagsVersion'>): Tags {
  const sets = new Map<string, CachedTags>();
  const read = async (account: string): Promise<TagSet> => {
    const currentAt = performance.now();
    const version = await store.tagsVersion(account);
    const set = tagSet(await store.tags(account));
    const cached = sets.get(account);
    if (!cached || cached.currentAt <= currentAt) sets.set(account, { set, version, currentAt });
    return set;
  };
  const current = async (account: string, cached: CachedTags): Promise<TagSet> => {
    const readAt = performance.now();
    if ((await store.tagsVersion(account)) > cached.version) return read(account);
    cached.currentAt = Math.max(cached.currentAt, readAt);
    return cached.set;
  };
  return {
    cached: (account) => sets.get(account)?.set,
    read,
    async of(account, names = [], maxAgeMs = 0) {
      const cached = sets.get(account);
      if (!cached) return read(account);
      const allowedAgeMs = hasAll(cached.set, names) ? TAG_MAX_AGE_MS : maxAgeMs;
      return performance.now() - cached.currentAt < allowedAgeMs ? cached.set : current(account, cached);
    },
  };
}
