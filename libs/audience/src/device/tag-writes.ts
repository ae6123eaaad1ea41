import type { DeviceEvent, TagValue } from '@tidings/events/generated/tidings/events/v1/devices';
import { defaultTags, isSharedTag } from '../default-tags.ts';
import { entriesOf, type TagEntry } from '../tags/entries.ts';
import { applyWrite, sameEntries, type TagWrite, INVALID_VALUE } from '../tags/operations.ts';
import { type Device, entriesIn } from './device.ts';
import { eventOf, identityOf } from './events.ts';

export interface TagOutcome {
  readonly changes: readonly TagValue[];
  /** Not an event: milliseconds, null to remove. */
  readonly open?: number | null;
}

export function applyWrites(
  entriesBefore: (k: number) => readonly TagEntry[],
  writes: readonly TagWrite[],
  refuse: (write: TagWrite) => void,
): TagOutcome {
  if (writes.length === 0) return { changes: [] };
  const after = new Map<number, Result>();
  for (const write of writes) {
    const k = write.tag.number;
    const value = applyWrite(write, after.get(k)?.entries ?? entriesBefore(k));
    if (value === INVALID_VALUE) refuse(write);
    else after.set(k, { value, entries: value ? entriesOf(k, value) : [] });
  }
  return differences(entriesBefore, after);
}

interface Result {
  readonly value: TagValue['value'];
  readonly entries: readonly TagEntry[];
}

function differences(
  entriesBefore: (k: number) => readonly TagEntry[],
  after: ReadonlyMap<number, Result>,
): TagOutcome {
  const changes: TagValue[] = [];
  let open: number | null | undefined;
  for (const [tag, { value, entries }] of after) {
    if (sameEntries(entries, entriesBefore(tag))) continue;
    if (tag === defaultTags.lastApplicationOpen.number) {
      open = entries[0] ? Number(entries[0].v) : null;
    } else {
      changes.push({ tag, value: entries.length > 0 ? value : undefined });
    }
  }
  return open === undefined ? { changes } : { changes, open };
}

export function shareWith(siblings: readonly Device[], changes: readonly TagValue[], at: Date): DeviceEvent[] {
  const shared = changes.filter(({ tag }) => isSharedTag(tag));
  if (shared.length === 0) return [];
  return siblings.flatMap((sibling) => {
    const tags = shared.filter(
      ({ tag, value }) => !sameEntries(value ? entriesOf(tag, value) : [], entriesIn(sibling, tag)),
    );
    return tags.length === 0
      ? []
      : [eventOf(identityOf(sibling), sibling.seq, at, { $case: 'tagsChanged', value: { tags } })];
  });
}

export function sharedEntries(siblings: readonly Device[]): ReadonlyMap<number, readonly TagEntry[]> {
  return Map.groupBy(siblings[0]?.tags.filter(({ k }) => isSharedTag(k)) ?? [], ({ k }) => k);
}
