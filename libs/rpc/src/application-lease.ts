/**
 * Validity of a cached application, from the start of its read: the deletion of an application is answered only after every earlier read has expired
 * (R-B2).
 */
export const APPLICATION_LEASE_MS = 1000;
