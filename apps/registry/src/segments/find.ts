import type { LiveFilter } from '@tidings/audience';
import { Fault } from '@tidings/kernel';
import type { FilterReference } from '@tidings/rpc';
import type { AccountStore } from '../accounts/store.ts';

/** A filter by its name, else by its code, bound to the application or to none (R-N2). */
export async function findFilter(
  store: AccountStore,
  account: string,
  application: string,
  { name, code }: FilterReference,
): Promise<LiveFilter | undefined> {
  const named = name === '' ? undefined : await store.filterNamed(account, name);
  const [found] = named ? [named] : await store.filtersByCode(account, [(name || code).toUpperCase()]);
  return found && (found.application === '' || found.application === application) ? found : undefined;
}

/** The codes of filters that presets name. @throws Fault `argument` for one that is not there (R-K1) */
export const filterCodes =
  (store: AccountStore) =>
  async (account: string, application: string, name: string): Promise<string> => {
    const found = await findFilter(store, account, application, { name, code: '' });
    if (!found) throw Fault.argument('segmentation.filter: not found');
    return found.code;
  };
