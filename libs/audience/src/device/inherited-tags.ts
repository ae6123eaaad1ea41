import { tagWithNumber } from '../default-tags.ts';
import { valueOf } from '../tags/entries.ts';
import type { TagWrite } from '../tags/operations.ts';
import type { Device } from './device.ts';

export function inheritedTagsOf(former: readonly Pick<Device, 'tags' | 'adoptByToken'>[]): TagWrite[] {
  const writes = new Map<number, TagWrite>();
  for (const { tags } of former.filter(({ adoptByToken }) => adoptByToken)) {
    for (const [number, entries] of Map.groupBy(tags, ({ k }) => k)) {
      const tag = tagWithNumber(number);
      const value = valueOf(tag.type, entries);
      if (value && !writes.has(number)) writes.set(number, { tag, operation: 'set', value });
    }
  }
  return [...writes.values()];
}
