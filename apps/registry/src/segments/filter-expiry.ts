import type { Clock } from '@tidings/kernel';
import type { AccountStore, FilterName } from '../accounts/account-store.ts';
import type { AccountWriter } from '../accounts/account-writer.ts';

/** Concurrent runs and repeats are safe. */
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
