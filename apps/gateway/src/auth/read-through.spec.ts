import { setImmediate as turn } from 'node:timers/promises';
import { ReadThrough } from './read-through.ts';

const MAX_AGE_MS = 3000;

function setUp() {
  let time = 0;
  const reads: { readonly name: string; answer(value: string | undefined): void; fail(): void }[] = [];
  const cache = new ReadThrough<string>({
    maxAgeMs: MAX_AGE_MS,
    now: () => time,
    read: (name) =>
      new Promise((resolve, reject) => {
        reads.push({ name, answer: resolve, fail: () => reject(new Error('down')) });
      }),
  });
  return { cache, reads, pass: (ms: number) => (time += ms) };
}

describe('ReadThrough', () => {
  it('reads once and then answers at once', async () => {
    const { cache, reads } = setUp();
    const first = cache.get('k');
    const second = cache.get('k');
    reads[0]!.answer('v');
    expect(await Promise.all([first, second])).toEqual(['v', 'v']);
    expect(cache.get('k')).toBe('v');
    expect(reads).toHaveLength(1);
  });

  it('never caches an absence', async () => {
    const { cache, reads } = setUp();
    const first = cache.get('k');
    reads[0]!.answer(undefined);
    expect(await first).toBeUndefined();
    void cache.get('k');
    expect(reads).toHaveLength(2);
  });

  it('answers an absence only after a read that began after the call', async () => {
    const { cache, reads } = setUp();
    void cache.get('k');
    const late = cache.get('k');
    reads[0]!.answer(undefined);
    await turn();
    reads[1]!.answer('v');
    expect(await late).toBe('v');
  });

  it('shares fresh reads among waiting callers: one under way, one pending', async () => {
    const { cache, reads } = setUp();
    void cache.get('k');
    const waiting = [cache.fresh('k'), cache.fresh('k'), cache.fresh('k')];
    reads[0]!.answer('old');
    await turn();
    expect(reads).toHaveLength(2);
    reads[1]!.answer('new');
    expect(await Promise.all(waiting)).toEqual(['new', 'new', 'new']);
  });

  it('refreshes past half the maximum age without delaying a caller, and waits for the read past the maximum age', async () => {
    const { cache, reads, pass } = setUp();
    const first = cache.get('k');
    reads[0]!.answer('v1');
    await first;
    pass(MAX_AGE_MS / 2 + 1);
    expect(cache.get('k')).toBe('v1');
    expect(cache.get('k')).toBe('v1');
    expect(reads).toHaveLength(2);
    reads[1]!.answer('v2');
    await turn();
    expect(cache.get('k')).toBe('v2');
    pass(MAX_AGE_MS + 1);
    const last = cache.get('k');
    expect(last).toBeInstanceOf(Promise);
    reads[2]!.answer(undefined);
    expect(await last).toBeUndefined();
  });

  it('does not answer with the value of a read that began longer ago than the maximum age', async () => {
    const { cache, reads, pass } = setUp();
    void cache.get('k');
    pass(MAX_AGE_MS + 1);
    const late = cache.get('k');
    reads[0]!.answer('old');
    await turn();
    expect(reads).toHaveLength(2);
    reads[1]!.answer(undefined);
    expect(await late).toBeUndefined();
  });

  it('reports a failure to waiting callers, and does not cache it', async () => {
    const { cache, reads } = setUp();
    const first = cache.get('k');
    const next = cache.fresh('k');
    reads[0]!.fail();
    await expect(first).rejects.toThrow('down');
    await turn();
    reads[1]!.answer('v');
    expect(await next).toBe('v');
  });
});
