/**
 * How long a process may go by what it read of an application, from when it asked: the deletion of an application is answered only when
 * nobody can go by what was read before it (R-B2).
 */
export const APPLICATION_LEASE_MS = 1000;
