export const RENEWED_AT_ONCE = 100;

export interface RenewalOptions {
  readonly blockedCredentials: () => readonly string[];
  readonly renew: (reference: string) => Promise<number>;
  readonly onRenewed: (reference: string, version: number) => void;
}

/** Each call reads the next {@link RENEWED_AT_ONCE}. @throws the first failure, after the others */
export function credentialRenewal({ blockedCredentials, renew, onRenewed }: RenewalOptions): () => Promise<void> {
  let from = 0;
  return async () => {
    const all = [...new Set(blockedCredentials())].toSorted();
    const next = all.slice(from, from + RENEWED_AT_ONCE);
    from = from + RENEWED_AT_ONCE < all.length ? from + RENEWED_AT_ONCE : 0;
    const read = await Promise.allSettled(next.map(async (reference) => onRenewed(reference, await renew(reference))));
    const failed = read.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  };
}
