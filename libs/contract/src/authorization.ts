const SCHEME = /^(?:token|api|key|bearer)\s+(.*)/is;

/** The secret in an Authorization header: any scheme word is accepted, and so is a bare token (R-T3). */
export function secretOf(header: string | undefined): string | undefined {
  const text = header?.trim();
  if (!text) return undefined;
  return SCHEME.exec(text)?.[1] ?? text;
}
