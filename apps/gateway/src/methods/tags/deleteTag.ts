import type { api } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import { FORBID } from '../../auth/authorize.ts';
import type { Handler } from '../../context.ts';

export const deleteTag: Handler<typeof api.deleteTag, 'tags'> = async (
  { name },
  { tags },
  { account, credentials },
) => {
  // A tag belongs to the account as a whole (R-T9).
  if (!credentials?.token.allApplications) throw Fault.forbidden(FORBID);
  await tags.deleteTag({ account, name });
  return { result: true };
};
