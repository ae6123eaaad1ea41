import type { api } from '@tidings/contract';

/** Name of a method of the API. */
export type MethodName = keyof typeof api;
