/** From the start of the read: a deletion is answered only after every earlier read has expired (R-B2). */
export const APPLICATION_LEASE_MS = 1000;
