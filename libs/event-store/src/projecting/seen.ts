/** The place of a fact: its log, the position of its commit, and its index in the commit. */
export interface Stamp {
  readonly log: string;
  readonly position: number | bigint;
  readonly index: number;
}

/** Per log, the place of the last fact applied to a document; stored in the document, so that both change in one write. */
export type SeenPlaces = Readonly<Record<string, number>>;

/** Maximum facts of a commit; places stay below 2^53 for 2^37 commits. */
const PLACES = 65_536;

/**
 * The facts that are not applied yet, and the places after them: for projections that count, which are not idempotent. A fact at or before the last
 * place of its log is a repeat, so all facts of a document must arrive in order: from one partition. Throws RangeError for an index of 65,536 or
 * more.
 */
export function dropSeen<Fact>(
  seen: SeenPlaces,
  facts: readonly Fact[],
  stampOf: (fact: Fact) => Stamp,
): { readonly fresh: readonly Fact[]; readonly seen: SeenPlaces } {
  const places: Record<string, number> = { ...seen };
  const fresh = facts.filter((fact) => {
    const { log, position, index } = stampOf(fact);
    if (!(index >= 0 && index < PLACES)) throw new RangeError(`index ${index} in commit ${position} of ${log}`);
    const place = Number(position) * PLACES + index;
    if (place <= (places[log] ?? -1)) return false;
    places[log] = place;
    return true;
  });
  return { fresh, seen: places };
}
