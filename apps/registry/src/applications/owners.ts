import type { AccountStore } from '../accounts/store.ts';

/** Whose the applications are. That never changes, so it is read once; what is unknown is looked for each time. */
export interface Owners {
  /** Looks up those of the codes that are not known yet. */
  learn(codes: readonly string[]): Promise<void>;
  /** Of a learnt code. */
  owns(account: string, code: string): boolean;
}

export function openOwners(store: AccountStore): Owners {
  const accounts = new Map<string, string>();
  return {
    async learn(codes) {
      const unknown = codes.filter((code) => !accounts.has(code));
      if (unknown.length === 0) return;
      for (const { code, account } of await store.applications([...new Set(unknown)])) accounts.set(code, account);
    },
    owns: (account, code) => accounts.get(code) === account,
  };
}
