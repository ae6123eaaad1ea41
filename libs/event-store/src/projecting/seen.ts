/** Where a fact stands: its log, the number of its commit, and its place in the commit. */
export interface Stamp {
  readonly log: string;
  readonly n: number | bigint;
  readonly index: number;
}

/** Per log the place of the last fact that a document has applied; stored in the document, so that both change in one write. */
export type SeenPlaces = Readonly<Record<string, number>>;

/** Facts of one commit; the place of the last of them is below 2^53 for 2^37 commits. */
const PLACES = 65_536;

/**
 * The facts that are not applied yet, and the places after them: for projections that count, where twice is not the same as once. What stands at
 * or before the last fact of its log is a repeat, so all facts of a document must come in order: from one partition. Throws RangeError for an index of 65,536 or more.
 */
export function dropSeen<Fact>(
  seen: SeenPlaces,
  facts: readonly Fact[],
  stampOf: (fact: Fact) => Stamp,
): { readonly fresh: readonly Fact[]; readonly seen: SeenPlaces } {
  const places: Record<string, number> = { ...seen };
  const fresh = facts.filter((fact) => {
    const { log, n, index } = stampOf(fact);
    if (!(index >= 0 && index < PLACES)) throw new RangeError(`index ${index} in commit ${n} of ${log}`);
    const place = Number(n) * PLACES + index;
    if (place <= (places[log] ?? -1)) return false;
    places[log] = place;
    return true;
  });
  return { fresh, seen: places };
}
