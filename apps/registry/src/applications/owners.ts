import { Platform } from '@tidings/kernel';
import { APPLICATION_LEASE_MS } from '@tidings/rpc';
import type { AccountStore } from '../accounts/account-store.ts';

/** Omits deleted applications; codes are looked up by `learn` first. */
export interface Owners {
  learn(codes: readonly string[]): Promise<void>;
  owns(account: string, code: string): boolean;
  titleOf(code: string): string;
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
      const pending = new Set(stale);
      const found = await store.applications([...pending]);
      for (const code of pending) owners.delete(code);
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
