import { addTag } from './addTag.ts';
import { deleteTag } from './deleteTag.ts';
import { listTags } from './listTags.ts';

/** The methods of tags. */
export const tagMethods = {
  addTag,
  deleteTag,
  listTags,
} as const;
