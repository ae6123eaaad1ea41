import { describe, expect, it } from '@jest/globals';
import { Offsets, type StoredOffset } from './offsets.ts';

const tracked = { toStored: () => ({ group: 'g', topic: 't', partition: 0, offset: 1 }) };

/** Stores offsets until all answers are given: an error refuses them. */
async function stored(answers: readonly (Error | undefined)[]) {
  const warnings: unknown[] = [];
  const saved: (readonly StoredOffset[])[] = [];
  const left = [...answers];
  const store = {
    async saveOffsets(offsets: readonly StoredOffset[]): Promise<void> {
      const error = left.shift();
      if (error) throw error;
      saved.push(offsets);
    },
  };
  const offsets = new Offsets(store, { warn: (_text, cause) => void warnings.push(cause) });
  while (left.length > 0) {
    offsets.changed(tracked);
    await offsets.flushed();
  }
  await offsets.close();
  return { warnings, saved };
}

describe('offsets', () => {
  const refused = new Error('refused');

  it('that are refused are stored with the next write', async () => {
    const { saved } = await stored([refused, undefined]);
    expect(saved).toEqual([[tracked.toStored()]]);
  });

  it('that are refused twice in a row are warned of, once until some are stored', async () => {
    const { warnings } = await stored([refused, refused, refused, undefined, refused, refused, undefined]);
    expect(warnings).toEqual([refused, refused]);
  });

  it('that are refused once are not: a group that is dealt out anew refuses those of before', async () => {
    expect((await stored([refused, undefined, refused, undefined])).warnings).toEqual([]);
  });
});
