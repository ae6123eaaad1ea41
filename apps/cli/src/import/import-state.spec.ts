import { describe, expect, it } from '@jest/globals';
import { newState, resumedState } from './import-state.ts';

describe('the state of an import', () => {
  const same = { file: 'f', options: 'o' };
  const interrupted = { ...newState(same), rows: 20 };
  const finished = { ...interrupted, finished: '2026-01-15T12:00:00Z' };

  it('is gone on with for the same file and options', () => {
    expect(resumedState(undefined, same, 'a.csv')).toEqual(newState(same));
    expect(resumedState(interrupted, same, 'a.csv')).toBe(interrupted);
    expect(resumedState(finished, same, 'a.csv')).toBe(finished);
  });

  it('is not gone on with for others', () => {
    const other = { ...same, file: 'g' };
    expect(resumedState(finished, other, 'a.csv')).toEqual(newState(other));
    expect(() => resumedState(interrupted, other, 'a.csv')).toThrow(
      'a.csv has changed since its import was interrupted after 20 rows',
    );
    expect(() => resumedState(interrupted, { ...same, options: 'p' }, 'a.csv')).toThrow(
      'a.csv was being imported with other options since its import was interrupted',
    );
  });
});
