import { type Application, DENIED } from '@tidings/audience';
import { Fault } from '@tidings/kernel';
import type { Versioned } from '@tidings/registry-store';
import type { AccountStore } from '../accounts/account-store.ts';

export async function existing(
  store: Pick<AccountStore, 'application'>,
  code: string,
  account?: string,
): Promise<Versioned<Application>> {
  const application = await store.application(code);
  if (!application || (account !== undefined && application.account !== account)) throw Fault.argument(DENIED);
  return application;
}
