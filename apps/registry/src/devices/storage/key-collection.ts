export const KEYS = 'keys';
