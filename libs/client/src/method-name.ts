import type { api } from '@tidings/contract';

export type MethodName = keyof typeof api;
