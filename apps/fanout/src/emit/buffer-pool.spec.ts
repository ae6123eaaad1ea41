import { describe, expect, it } from '@jest/globals';
import { type Buffers, BufferPool } from './buffer-pool.ts';

const given = (buffers: Buffers): Promise<Buffers> => Promise.resolve(buffers);

describe('BufferPool', () => {
  it('reuses the buffers of successful work', async () => {
    const pool = new BufferPool(1);
    const first = await pool.use(given);
    expect(await pool.use(given)).toBe(first);
  });

  it('lends a buffer to one user at a time', async () => {
    const pool = new BufferPool(2);
    await pool.use(async (buffers) => expect(await pool.use(given)).not.toBe(buffers));
  });

  it('never reuses the buffers of failed work: a late scan of it may still write into them', async () => {
    const pool = new BufferPool(1);
    let failed: Buffers | undefined;
    const work = pool.use((buffers) => {
      failed = buffers;
      return Promise.reject(new Error('the application was not read'));
    });
    await expect(work).rejects.toThrow();
    expect(await pool.use(given)).not.toBe(failed);
  });
});
