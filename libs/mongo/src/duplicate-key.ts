export const DUPLICATE_KEY = 11_000;

export const isDuplicateKey = (error: unknown): boolean =>
  (error as { readonly code?: unknown } | undefined)?.code === DUPLICATE_KEY;
