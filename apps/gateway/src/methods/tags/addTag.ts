import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';

export const addTag: Handler<typeof api.addTag, 'tags'> = async (input, { tags }, { account }) => {
  await tags.addTag({ account, ...input });
  return { result: true };
};
