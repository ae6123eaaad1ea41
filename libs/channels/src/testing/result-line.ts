import type { SendResult } from '../send-results.ts';

/** A result in one line: its category, and its consequence. */
export const resultLine = ({ category, then }: SendResult): string =>
  `${category} ${then.do}${then.do === 'retry' ? ` ${then.firstWaitMs}${then.reconnect ? ' elsewhere' : ''}${then.throttles === 'asked' ? '' : ` throttles ${then.throttles}`}` : ''}`;
