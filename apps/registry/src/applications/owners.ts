import { APPLICATION_LEASE_MS } from '@tidings/rpc';
import type { AccountStore } from '../accounts/account-store.ts';

/** Whose the applications are, without those that are deleted. What is unknown is looked for each time. */
export interface Owners {
  /** Looks up those of the codes that are not known, or were last seen too long ago. */
  learn(codes: readonly string[]): Promise<void>;
  /** Of a learnt code. */
  owns(account: string, code: string): boolean;
}

interface Owner {
  readonly account: string;
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
      for (const { code, account } of found) owners.set(code, { account, since });
    },
    owns: (account, code) => owners.get(code)?.account === account,
  };
}
