import type { TagType } from '@tidings/events';
import type { AccountEvent } from '@tidings/events/generated/tidings/events/v1/accounts';
import { Fault } from '@tidings/kernel';
import { defaultTagList, type TagDefinition, tagNumber } from '../default-tags.ts';
import { isTagType } from '../tags/operations.ts';
import { isWithin } from '../tags/value.ts';

export interface TagState extends TagDefinition {
  readonly kind: 'tag';
  readonly account: string;
  readonly deleted: boolean;
}

export const MAX_TAGS_AT_ONCE = 1000;

export interface MissingTag {
  readonly name: string;
  readonly type: TagType;
}

export type TagAction =
  | {
      readonly type: 'addTag';
      readonly name: string;
      readonly tagType: TagType;
      readonly applicationSpecific: boolean;
    }
  | { readonly type: 'addMissingTags'; readonly tags: readonly MissingTag[] }
  | { readonly type: 'deleteTag'; readonly name: string }
  | { readonly type: 'clearTag'; readonly number: number };

export interface TagCounts {
  readonly tagsMade: number;
  readonly tagsDeleted: number;
  readonly clearing: readonly number[];
}

export interface TagView {
  counts(): TagCounts;
  tag(name: string): TagState | undefined;
}

type Change = NonNullable<AccountEvent['event']>;

const defaultNames = new Set(defaultTagList.map(({ name }) => name));

const live = (view: Pick<TagView, 'tag'>, name: string): TagState | undefined => {
  const tag = view.tag(name);
  return tag?.deleted === false ? tag : undefined;
};

const isTagName = (name: string): boolean => name !== '' && name === name.trim() && isWithin(name, 255);

export function fitTags(
  view: Pick<TagView, 'tag'>,
  tags: readonly MissingTag[],
  room: number,
): { readonly added: MissingTag[]; readonly refused: string[] } {
  const seen = new Set(defaultNames);
  const missing = tags.filter(({ name, type }) => {
    if (seen.has(name) || !isTagName(name) || !isTagType(type) || live(view, name)) return false;
    seen.add(name);
    return true;
  });
  const fit = Math.max(0, room);
  return { added: missing.slice(0, fit), refused: missing.slice(fit).map(({ name }) => name) };
}

function addMissingTags(view: TagView, tags: readonly MissingTag[], room: number): Change[] {
  const { tagsMade } = view.counts();
  return fitTags(view, tags, room).added.map(({ name, type }, i) => ({
    $case: 'tagAdded',
    value: { number: tagNumber(tagsMade + i, type, false), name, type, applicationSpecific: false },
  }));
}

function addTag(view: TagView, action: TagAction & { type: 'addTag' }): Change[] {
  const name = action.name.trim();
  if (name === '' || !isWithin(name, 255)) throw Fault.argument('tag.name: must have 1 to 255 characters');
  if (!isTagType(action.tagType)) throw Fault.argument('tag.type: must be 1 to 7');
  const { tagsMade } = view.counts();
  if (defaultNames.has(name) || live(view, name)) throw Fault.argument('Tag already exists');
  const { tagType: type, applicationSpecific } = action;
  const number = tagNumber(tagsMade, type, applicationSpecific);
  return [{ $case: 'tagAdded', value: { number, name, type, applicationSpecific } }];
}

function deleteTag(view: TagView, name: string): Change[] {
  if (defaultNames.has(name)) throw Fault.argument('Tag is a default tag');
  const tag = live(view, name);
  if (!tag) throw Fault.argument('Tag not found');
  return [{ $case: 'tagDeleted', value: { number: tag.number, name } }];
}

export function decideTag(view: TagView, action: TagAction, room: number): Change[] {
  switch (action.type) {
    case 'addMissingTags':
      return addMissingTags(view, action.tags, room);
    case 'addTag':
      return addTag(view, action);
    case 'deleteTag':
      return deleteTag(view, action.name.trim());
    case 'clearTag':
      return view.counts().clearing.includes(action.number)
        ? [{ $case: 'tagCleared', value: { number: action.number } }]
        : [];
  }
}

export function evolveTag(state: TagState | undefined, { account, event }: AccountEvent): TagState | undefined {
  switch (event?.$case) {
    case 'tagAdded':
      return { kind: 'tag', account, ...event.value, deleted: false };
    case 'tagDeleted':
      return state && { ...state, deleted: true };
    default:
      return state;
  }
}

export function evolveTagCounts<Counts extends TagCounts>(counts: Counts, { event }: AccountEvent): Counts {
  const { tagsMade, tagsDeleted, clearing } = counts;
  switch (event?.$case) {
    case 'tagAdded':
      return { ...counts, tagsMade: tagsMade + 1 };
    case 'tagDeleted':
      return { ...counts, tagsDeleted: tagsDeleted + 1, clearing: [...clearing, event.value.number] };
    case 'tagCleared':
      return { ...counts, clearing: clearing.filter((number) => number !== event.value.number) };
    default:
      return counts;
  }
}
