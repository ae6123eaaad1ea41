import type { Device, TagEntry } from '@tidings/audience';
import type { DeviceDocument } from '@tidings/registry-store';
import { Long } from 'mongodb';

const isLong = ({ v }: TagEntry): boolean => Long.isLong(v);

const exactTags = (tags: readonly TagEntry[]): readonly TagEntry[] =>
  tags.some(isLong)
    ? tags.map((entry) => (isLong(entry) ? { ...entry, v: (entry.v as unknown as Long).toBigInt() } : entry))
    : tags;

/** Every document from the driver must pass here before its tags are read. */
export const withExactTags = <Part extends Partial<Pick<DeviceDocument, 'tags'>>>(read: Part): Part => {
  const tags = read.tags && exactTags(read.tags);
  return tags === read.tags ? read : { ...read, tags };
};

export const deviceOf = (document: DeviceDocument): Device => ({
  ...withExactTags(document),
  user: document.user ?? document.hwidHash,
  owners: document.owners ?? [{ user: document.hwidHash, from: document.createdAt }],
});
