import { describe, expect, it } from '@jest/globals';
import { OwnedFields } from './owned-fields.ts';

const owned = new OwnedFields({ fields: { things: ['name', 'size'] }, selfReportedField: 'self' });

describe('the fields that a version owns', () => {
  it('are the only written ones', () => {
    const state = { name: 'a', size: 1 };
    expect(owned.among('things', state)).toBe(state);
    expect(owned.among('things', { ...state, colour: 'red' })).toEqual(state);
    expect(owned.among('others', state)).toEqual({});
  });

  it('are distinguished from those of a newer version', () => {
    expect(owned.unowned('things', { name: 'a', colour: 'red' })).toEqual({ colour: 'red' });
  });

  it.each(['', '$set', 'a.b', 'a\0b', 'self'])('cannot be called %j', (name) => {
    const definition = { fields: { things: [name] }, selfReportedField: 'self' };
    expect(() => new OwnedFields(definition)).toThrow(expect.objectContaining({ kind: 'bug' }));
  });
});
