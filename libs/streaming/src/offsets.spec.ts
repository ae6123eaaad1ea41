import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Offsets, type StoredOffset } from './offsets.ts';

const tracked = { toStored: () => ({ group: 'g', topic: 't', partition: 0, offset: 1 }) };

async function stored(answers: readonly (Error | undefined)[]) {
  const warnings: unknown[] = [];
  const saved: (readonly StoredOffset[])[] = [];
  const remaining = [...answers];
  const store = {
    async saveOffsets(offsets: readonly StoredOffset[]): Promise<void> {
      const error = remaining.shift();
      if (error) throw error;
      saved.push(offsets);
    },
  };
  const offsets = new Offsets(store, { warn: (_text, cause) => void warnings.push(cause) });
  while (remaining.length > 0) {
    offsets.changed(tracked);
    await offsets.flushed();
  }
  await offsets.close();
  return { warnings, saved };
}

describe('offsets', () => {
  const refused = new Error('refused');
  afterEach(() => void jest.useRealTimers());

  it('are stored with the next write if they were refused', async () => {
    const { saved } = await stored([refused, undefined]);
    expect(saved).toEqual([[tracked.toStored()]]);
  });

  it('cause one warning if they are refused twice in a row, and another after a successful write', async () => {
    const { warnings } = await stored([refused, refused, refused, undefined, refused, refused, undefined]);
    expect(warnings).toEqual([refused, refused]);
  });

  it('are stored together, also the first ones', async () => {
    jest.useFakeTimers();
    const saved: (readonly StoredOffset[])[] = [];
    const store = { saveOffsets: async (offsets: readonly StoredOffset[]) => void saved.push(offsets) };
    const offsets = new Offsets(store, { warn: () => undefined });
    offsets.changed(tracked);
    await jest.advanceTimersByTimeAsync(24);
    offsets.changed({ toStored: tracked.toStored });
    expect(saved).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    expect(saved).toEqual([[tracked.toStored(), tracked.toStored()]]);
    await offsets.close();
  });

  it('cause no warning if they are refused once, as by a rebalance of the group', async () => {
    expect((await stored([refused, undefined, refused, undefined])).warnings).toEqual([]);
  });
});
