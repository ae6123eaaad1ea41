import { Platform } from '@tidings/kernel';
import { APPLICATION_LEASE_MS } from '@tidings/rpc';
import type { AccountStore } from '../accounts/account-store.ts';

/** Maps applications to their accounts, without deleted ones. Unknown codes are looked up each time. */
export interface Owners {
  /** Looks up the codes that are unknown or whose entry has expired. */
  learn(codes: readonly string[]): Promise<void>;
  /** Whether an account owns an application, for a code that `learn` has looked up. */
  owns(account: string, code: string): boolean;
  /** The title of an application, for a code that `learn` has looked up; "" if it is unknown. */
  titleOf(code: string): string;
  /** The sender's address of its e-mails; "" without one. */
  mailFromOf(code: string): string;
}

interface Owner {
  readonly account: string;
  readonly title: string;
  readonly mailFrom: string;
  readonly since: number;
}

export function openOwners(store: Pick<AccountStore, 'applications'>): Owners {
  const owners = new Map<string, Owner>();
  return {
    async learn(codes) {
      const since = performance.now();
      const stale = codes.filter((code) => !(since - (owners.get(code)?.since ?? -Infinity) < APPLICATION_LEASE_MS));
      if (stale.length === 0) return;
      const wanted = new Set(stale);
      const found = await store.applications([...wanted]);
      for (const code of wanted) owners.delete(code);
      for (const { code, account, title, platforms } of found) {
        const mailFrom =
          platforms.find(({ platform }) => platform === Platform.Email)?.settings['email_from_email'] ?? '';
        owners.set(code, { account, title, mailFrom, since });
      }
    },
    owns: (account, code) => owners.get(code)?.account === account,
    titleOf: (code) => owners.get(code)?.title ?? '',
    mailFromOf: (code) => owners.get(code)?.mailFrom ?? '',
  };
}
