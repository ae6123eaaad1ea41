import { wholeList } from './whole-list.ts';

function paged(entries: readonly string[]) {
  const cursors: string[] = [];
  const read = async (after: string) => {
    cursors.push(after);
    const from = Number(after);
    return { entries: entries.slice(from, from + 2), next: from + 2 < entries.length ? String(from + 2) : '' };
  };
  return { cursors, read };
}

describe('wholeList', () => {
  it('reads page by page to the end', async () => {
    const { cursors, read } = paged(['a', 'b', 'c', 'd', 'e']);
    expect(await wholeList(read, ({ length }) => length)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(cursors).toEqual(['', '2', '4']);
    expect(await wholeList(paged([]).read, ({ length }) => length)).toEqual([]);
  });

  it('refuses a list that exceeds the memory limit, without reading further pages', async () => {
    const { cursors, read } = paged(['a', 'b', 'c', 'd', 'e']);
    const halfOfIt = 32 << 20;
    expect(await wholeList(paged(['a', 'b']).read, () => halfOfIt)).toHaveLength(2);
    await expect(wholeList(read, () => halfOfIt)).rejects.toMatchObject({ kind: 'tooLarge' });
    expect(cursors).toEqual(['', '2']);
  });
});
