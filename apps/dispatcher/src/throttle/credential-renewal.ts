/** Maximum credentials that are read in one round: each is a call to the registry. */
export const RENEWED_AT_ONCE = 100;

export interface RenewalOptions {
  /** The credentials that hold slices back (`<application>/<platform>`), with or without repeats. */
  readonly heldBack: () => readonly string[];
  /** Reads one again; resolves to the version of its settings. */
  readonly renew: (reference: string) => Promise<number>;
  /** Receives each one that was read, with that version. */
  readonly onRenewed: (reference: string, version: number) => void;
}

/**
 * Reads credentials that hold slices back again, because the operator may have configured them anew: each call reads the next
 * {@link RENEWED_AT_ONCE} of them, in turn.
 * @throws the first failure of a round, after the others have been read
 */
export function credentialRenewal({ heldBack, renew, onRenewed }: RenewalOptions): () => Promise<void> {
  let from = 0;
  return async () => {
    const all = [...new Set(heldBack())].toSorted();
    const next = all.slice(from, from + RENEWED_AT_ONCE);
    from = from + RENEWED_AT_ONCE < all.length ? from + RENEWED_AT_ONCE : 0;
    const read = await Promise.allSettled(next.map(async (reference) => onRenewed(reference, await renew(reference))));
    const failed = read.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  };
}
