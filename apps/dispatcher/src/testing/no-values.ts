import type { SentValuesKeeper } from '../sent/sent-values.ts';

export const noValues: SentValuesKeeper = { keep: async () => undefined };
