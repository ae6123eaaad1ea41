import type { Clock } from '@tidings/kernel';
import type { AccountStore } from '../accounts/store.ts';
import type { AccountWriter } from '../accounts/writer.ts';

/** Deletes the filters whose day has come (R-N3). May be done by several at once, and again after a crash. */
export async function expireFilters(store: AccountStore, write: AccountWriter, clock: Clock): Promise<void> {
  const at = new Date(clock.now());
  for (const { account, name, code } of await store.dueFilters(at)) {
    await write({ account, action: { type: 'expireFilter', name, code }, at });
  }
}
