/** Idempotency-Keys in use, in the logs of their devices (architecture 4, "Once"). */
export const KEYS = 'keys';
