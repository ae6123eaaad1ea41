export class LongestOpen {
  readonly #seen = new Map<string, { since: number; until: number }>();

  /** @param at milliseconds */
  add(items: readonly string[], at: number): void {
    for (const kind of new Set(items.map(kindOf))) {
      const seen = this.#seen.get(kind);
      if (seen) seen.until = at;
      else this.#seen.set(kind, { since: at, until: at });
    }
  }

  /** E.g. `dispatcher.apns: slices being sent, 6.1 s`; undefined if nothing was open. */
  get text(): string | undefined {
    const [longest] = [...this.#seen]
      .map(([kind, { since, until }]) => ({ kind, ms: until - since }))
      .toSorted((one, other) => other.ms - one.ms);
    return longest && `${longest.kind}, ${(longest.ms / 1000).toFixed(1)} s`;
  }
}

const kindOf = (item: string): string =>
  item
    .replaceAll(/(?<![\w.])[0-9A-F/-]*\d[0-9A-F/-]*(?![\w.])/g, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?:( :)?/g, ':')
    .replace(/^[: ]+/, '')
    .trim();
