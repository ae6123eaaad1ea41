const SCHEME = /^(?:token|api|key|bearer)\s+(.*)/is;

/** Accepts any scheme word, and a bare token (R-T3). */
export function secretOf(header: string | undefined): string | undefined {
  const text = header?.trim();
  if (!text) return undefined;
  return SCHEME.exec(text)?.[1] ?? text;
}
