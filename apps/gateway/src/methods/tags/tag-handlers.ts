export { addTag } from './addTag.ts';
export { deleteTag } from './deleteTag.ts';
export { listTags } from './listTags.ts';
