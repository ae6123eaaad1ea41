import { addTag } from './addTag.ts';
import { deleteTag } from './deleteTag.ts';
import { listTags } from './listTags.ts';

export const tagMethods = {
  addTag,
  deleteTag,
  listTags,
} as const;
