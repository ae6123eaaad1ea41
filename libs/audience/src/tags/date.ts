export const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;

/** `YYYY-MM-DD HH:mm` in UTC (R-RES9). */
export const formatDate = (ms: number): string => new Date(ms).toISOString().slice(0, 16).replace('T', ' ');
