import { type Device, entriesIn, outputOf, type TagOutput, valueOf } from '@tidings/audience';
import { tagFields, type Tags, type TagSet } from '@tidings/registry-store';
import type { GetTagsReply } from '@tidings/rpc';

export type ShownTag = readonly [name: string, value: TagOutput];

export function shownTags(device: Device, tags: TagSet): ShownTag[] {
  const numbers = new Set([...tagFields.keys(), ...device.tags.map(({ k }) => k)]);
  return [...numbers].flatMap((number): [string, TagOutput][] => {
    const tag = tags.numbered(number);
    const value = tag && valueOf(tag.type, entriesIn(device, number));
    return tag && value ? [[tag.name, outputOf(value)]] : [];
  });
}

/** Reads the tags again if a device has one that another process has just added. */
export async function tagSetOf(devices: readonly Device[], account: string, tags: Tags): Promise<TagSet> {
  const numbers = devices.flatMap((device) => device.tags.map(({ k }) => k));
  const set = await tags.of(account);
  return numbers.every((number) => set.numbered(number)) ? set : tags.read(account);
}

export function tagsReply(shown: readonly ShownTag[]): GetTagsReply {
  const integers = shown.filter((entry): entry is [string, bigint] => typeof entry[1] === 'bigint');
  const others = integers.length === 0 ? shown : shown.filter(([, value]) => typeof value !== 'bigint');
  return { tags: Object.fromEntries(others), integers: Object.fromEntries(integers) };
}
