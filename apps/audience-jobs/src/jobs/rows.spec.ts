import { describe, expect, it } from '@jest/globals';
import { EntryStatus, JobEntry } from '@tidings/rpc';
import { shownRows } from './rows.ts';

const { ENTRY_STATUS_DONE: DONE, ENTRY_STATUS_FAILED: FAILED } = EntryStatus;

const entry = JobEntry.create({
  identifier: { $case: 'hwid', value: 'Phone' },
  tags: { Level: 1, constructor: 2, toString: 3 },
});
const shown = (status: EntryStatus, refusedTags: Record<string, string>, hwids?: ReadonlyMap<number, string[]>) =>
  shownRows({
    number: 0,
    entries: [entry],
    entryBytes: 9,
    isCut: false,
    outcomes: [{ number: 0, status, refusedTags }],
    ...(hwids && { hwids }),
  });

describe('the tags of a row (R-G4)', () => {
  it.each([
    [DONE, {}, { Level: 'ok', constructor: 'ok', toString: 'ok' }],
    [DONE, { toString: 'no' }, { Level: 'ok', constructor: 'ok', toString: 'no' }],
    [FAILED, { Level: 'no', constructor: 'no', toString: 'no' }, { Level: 'no', constructor: 'no', toString: 'no' }],
    [FAILED, {}, {}],
  ])('follow from its status %s and its refused tags %j', (status, refused, tags) =>
    expect(shown(status, refused)).toMatchObject([{ status, tags }]),
  );
});

describe('the reason of a row (R-G5)', () => {
  const reasonOf = (fault: string | undefined, reason?: string) => {
    const outcomes = [{ number: 0, status: FAILED, refusedTags: {}, reason }];
    const entries = [JobEntry.create({ ...entry, fault })];
    return shownRows({ number: 0, entries, entryBytes: 9, isCut: false, outcomes })[0]!.reason;
  };

  it('is that of the gateway, or else that of the registry', () => {
    expect(reasonOf(undefined, 'Hwid is not valid')).toBe('Hwid is not valid');
    expect(reasonOf('timezone: must be an integer', 'device_type: unknown platform')).toBe(
      'timezone: must be an integer',
    );
    expect(reasonOf(undefined)).toBeUndefined();
  });
});

describe('the hwid of a row', () => {
  it('is that of the device, in any spelling', () => {
    expect(shown(DONE, {})).toMatchObject([{ hwid: 'Phone' }]);
    expect(shown(DONE, {}, new Map([[0, ['phone']]]))).toMatchObject([{ hwid: 'phone' }]);
  });

  it('is the given identifier without a device, also if it has a reason', () => {
    const none = new Map([[0, []]]);
    const { ENTRY_STATUS_NOT_FOUND: status } = EntryStatus;
    const part = { number: 0, entries: [entry], entryBytes: 9, isCut: false, hwids: none, outcomes: [] };
    expect(shownRows(part)).toEqual([expect.objectContaining({ hwid: 'Phone', status, tags: {} })]);
    const failed = shown(FAILED, { Level: 'no' }, none);
    expect(failed).toEqual([expect.objectContaining({ hwid: 'Phone', status: FAILED, tags: { Level: 'no' } })]);
  });
});
