import { expect, it } from '@jest/globals';
import { retryDelayMs } from './retry-delay.ts';

it.each([
  ['0', 0],
  ['7', 7_000],
  ['3600', 60_000],
  ['9'.repeat(400), 60_000],
  ['Wed, 21 Oct 2026 07:28:00 GMT', 5_000],
  ['-1', 5_000],
  ['', 5_000],
])('a retry waits after Retry-After: %s for %d ms', (header, delayMs) => {
  expect(retryDelayMs(header)).toBe(delayMs);
});
