import type { SentValuesKeeper } from '../sent/sent-values.ts';

/** No application has a subscriber. */
export const noValues: SentValuesKeeper = { keep: async () => undefined };
