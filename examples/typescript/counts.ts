export function countsOf(names: ReadonlyMap<string, string>): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of names.values()) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
