/** The server's error code for a document whose key another one has. */
export const DUPLICATE_KEY = 11_000;

/** Whether a write failed because another document has the same key. */
export const isDuplicateKey = (error: unknown): boolean =>
  (error as { readonly code?: unknown } | undefined)?.code === DUPLICATE_KEY;
