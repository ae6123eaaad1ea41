import { defaultTags } from '../default-tags.ts';
import { textOf } from '../tags/entries.ts';
import type { TagWrite } from '../tags/operations.ts';
import type { Device } from './device.ts';

const { unsubscribedEmails, unsubscribedCategories } = defaultTags;

export function unsubscribesOf(contacts: readonly Pick<Device, 'tags'>[]): TagWrite[] {
  const tags = contacts.flatMap((contact) => contact.tags);
  const writes: TagWrite[] = [];
  if (tags.some(({ k, v }) => k === unsubscribedEmails.number && v === true)) {
    writes.push({ tag: unsubscribedEmails, operation: 'set', value: { $case: 'flag', value: true } });
  }
  const items = tags.filter(({ k }) => k === unsubscribedCategories.number).map(textOf);
  if (items.length > 0) writes.push({ tag: unsubscribedCategories, operation: 'append', items });
  return writes;
}
