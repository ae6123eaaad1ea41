import { describe, expect, it } from '@jest/globals';
import { internalsOf } from './internals.ts';

describe('the internals of a dependency', () => {
  it.each(['kafkajs', 'mongodb'])('are refused in another version than that of the patch: %s', (name) => {
    expect(() => internalsOf(name, '0.0.1')).toThrow(`patches ${name} 0.0.1, and `);
  });
});
