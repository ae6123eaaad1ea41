import { defaultTags } from '../default-tags.ts';
import { parseTagWrite, type TagWrite } from '../tags/operations.ts';
import { entriesIn } from './device.ts';
import { applyWrites } from './tag-writes.ts';

const T0 = Date.UTC(2026, 0, 1, 12);
const { firstInstall, lastApplicationOpen } = defaultTags;
const device = { tags: [{ k: firstInstall.number, v: T0 }], self: { open: T0 + 30_000 } };

const removing = (value: string): TagWrite[] =>
  [firstInstall, lastApplicationOpen].map((date) => {
    const parsed = parseTagWrite(date, { operation: 'remove', value });
    if (typeof parsed === 'string') throw new Error(parsed);
    return parsed;
  });
const outcomeOf = (value: string) =>
  applyWrites(
    (k) => entriesIn(device, k),
    removing(value),
    () => undefined,
  );

describe('writes of tags', () => {
  it('remove a date by its minute, the last open, too (R-C5, R-RES9)', () => {
    expect(outcomeOf('2026-01-01 12:01')).toEqual({ changes: [] });
    expect(outcomeOf('2026-01-01 12:00')).toEqual({
      changes: [{ tag: firstInstall.number, value: undefined }],
      open: null,
    });
  });
});
