import type { Clock } from '@tidings/kernel';
import type { AccountStore, FilterName } from '../accounts/account-store.ts';
import type { AccountWriter } from '../accounts/account-writer.ts';

/**
 * Deletes the filters whose day has come (R-N3). May be done by several at once, and again after a crash.
 * @param of the one that is looked at. @default all of all accounts
 */
export async function expireFilters(
  store: AccountStore,
  write: AccountWriter,
  clock: Clock,
  of?: FilterName,
): Promise<void> {
  const at = new Date(clock.now());
  for (const { account, name, code } of await store.dueFilters(at, of)) {
    await write({ account, action: { type: 'expireFilter', name, code }, at });
  }
}
