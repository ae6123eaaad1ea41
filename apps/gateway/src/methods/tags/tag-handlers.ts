import type { tagMethods } from '@tidings/contract';
import type { Serves } from '../../context.ts';
import { addTag } from './addTag.ts';
import { deleteTag } from './deleteTag.ts';
import { listTags } from './listTags.ts';

export const tagHandlers = {
  addTag,
  deleteTag,
  listTags,
} satisfies Serves<typeof tagMethods>;
