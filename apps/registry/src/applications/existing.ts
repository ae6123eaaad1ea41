import { type Application, DENIED } from '@tidings/audience';
import { Fault } from '@tidings/kernel';
import type { AccountStore, Versioned } from '../accounts/account-store.ts';

/** The application of this code, and of this account where one is given; a Fault where there is none. */
export async function existing(
  store: Pick<AccountStore, 'application'>,
  code: string,
  account?: string,
): Promise<Versioned<Application>> {
  const application = await store.application(code);
  if (!application || (account !== undefined && application.account !== account)) throw Fault.argument(DENIED);
  return application;
}
