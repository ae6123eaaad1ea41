import type { LiveFilter } from '@tidings/audience';
import type { Preset } from '@tidings/events';
import { Fault } from '@tidings/kernel';
import type { FilterReference } from '@tidings/rpc';
import type { AccountStore } from '../accounts/account-store.ts';

export async function findFilter(
  store: Pick<AccountStore, 'filterNamed' | 'filtersByCode'>,
  account: string,
  applications: readonly string[],
  { name, code }: FilterReference,
): Promise<LiveFilter | undefined> {
  const named = name === '' ? undefined : await store.filterNamed(account, name);
  const [found] = named ? [named] : await store.filtersByCode(account, [(name || code).toUpperCase()]);
  return found && (found.application === '' || applications.includes(found.application)) ? found : undefined;
}

export async function applicationsOf(
  store: Pick<AccountStore, 'groups'>,
  account: string,
  { application, group }: Pick<Preset, 'application' | 'group'>,
): Promise<readonly string[]> {
  const [owner] = group === '' ? [] : await store.groups(account, [group]);
  return owner?.applications ?? [application];
}

export const filterCodes =
  (store: AccountStore) =>
  async (account: string, preset: Preset): Promise<string> => {
    const { filter: name } = preset;
    if (name === '') return '';
    const applications = await applicationsOf(store, account, preset);
    const found = await findFilter(store, account, applications, { name, code: '' });
    if (!found) throw Fault.argument('segmentation.filter: not found');
    return found.code;
  };
