import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';

const byName = (a: { readonly name: string }, b: { readonly name: string }): number =>
  a.name < b.name ? -1 : Number(a.name > b.name);

export const listTags: Handler<typeof api.listTags, 'tags'> = async (_input, context, { account }) => {
  const { tags } = await context.tags.listTags({ account });
  return {
    tags: tags
      .map(({ name, type, applicationSpecific }) => ({ name, type, isApplicationSpecific: applicationSpecific }))
      .sort(byName),
  };
};
