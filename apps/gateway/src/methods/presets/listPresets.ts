import type { api } from '@tidings/contract';
import { hasAccessToGroup } from '../../auth/application-access.ts';
import type { Handler } from '../../context.ts';
import { wholeList } from '../whole-list.ts';

export const listPresets: Handler<typeof api.listPresets, 'access' | 'accounts' | 'presets'> = async (
  { application },
  context,
  call,
) => {
  const presets = await wholeList(
    async (after) => {
      const { presets: entries, next } = await context.presets.listPresets({
        account: call.account,
        application,
        after,
      });
      return { entries, next };
    },
    ({ name }) => name.length,
  );
  const groups = new Set(presets.flatMap(({ group }) => (group === '' ? [] : [group])));
  for (const group of groups) {
    if (!(await hasAccessToGroup(context, call, group))) groups.delete(group);
  }
  const listed = presets.filter(({ group }) => group === '' || groups.has(group));
  return { presets: listed.map(({ name, code }) => ({ name, code })) };
};
