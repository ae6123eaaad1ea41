import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { retryAfterMs, retryDeadline, retryWaitMs, throttleDeadline } from './retries.ts';

const failure = (tries: number, firstWaitMs = 0, retryAfterMs = 0) => ({ tries, firstWaitMs, retryAfterMs });

describe('waits', () => {
  it('are 1 s, 5 s, 30 s, 2 min, 10 min and then always 10 min', () => {
    const waits = [1, 2, 3, 4, 5, 6, 100].map((tries) => retryWaitMs(failure(tries), 0.5));
    expect(waits).toEqual([1000, 5000, 30_000, 120_000, 600_000, 600_000, 600_000]);
  });

  it('are not shorter than the first wait of the error', () => {
    expect([1, 2, 3, 4].map((tries) => retryWaitMs(failure(tries, 60_000), 0.5))).toEqual([
      60_000, 60_000, 60_000, 120_000,
    ]);
  });

  it('vary by 20 %, and are never shorter than Retry-After', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 0, max: 1_000_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (tries, requestedMs, random) => {
          const middle = retryWaitMs(failure(tries), 0.5);
          const wait = retryWaitMs(failure(tries, 0, requestedMs), random);
          expect(wait).toBeGreaterThanOrEqual(Math.max(requestedMs, Math.floor(middle * 0.8)));
          expect(wait).toBeLessThanOrEqual(Math.max(requestedMs, Math.ceil(middle * 1.2)));
        },
      ),
    );
  });
});

describe('the end of retries', () => {
  it('is an hour after the first try, or the TTL after the start of processing', () => {
    expect(retryDeadline(0, 5000, undefined)).toBe(3_605_000);
    expect(retryDeadline(0, 5000, 60)).toBe(60_000);
    expect(retryDeadline(0, 5000, 0)).toBe(0);
    expect(retryDeadline(0, 5000, 86_400)).toBe(3_605_000);
  });

  it('is the TTL, or 24 hours after the start of processing, for a device that only waits behind a throttle', () => {
    expect(throttleDeadline(5000, undefined)).toBe(86_405_000);
    expect(throttleDeadline(5000, 60)).toBe(65_000);
    expect(throttleDeadline(5000, 172_800)).toBe(172_805_000);
  });
});

describe('Retry-After', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  it.each([
    ['120', 120_000],
    [' 1 ', 1000],
    ['0', 0],
    ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
    ['soon', 0],
    ['-5', 0],
    ['7200', 900_000],
    ['9'.repeat(400), 900_000],
    ['Fri, 02 Jan 2026 00:00:00 GMT', 900_000],
    [undefined, 0],
  ])('is read as seconds or as a date: %s', (header, ms) => {
    for (const status of [429, 503]) expect(retryAfterMs(status, header, now)).toBe(ms);
  });

  it.each([200, 400, 403, 410, 500, 502, 504])('is ignored with status %i', (status) => {
    expect(retryAfterMs(status, '120', now)).toBe(0);
  });
});
