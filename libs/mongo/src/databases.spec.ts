import { describe, expect, it } from '@jest/globals';
import { databasePrefixOf } from './databases.ts';

describe('the prefix of databases', () => {
  it.each([
    [undefined, 'tidings'],
    ['mongodb://a:1', 'tidings'],
    ['mongodb://a:1,b:2/?replicaSet=rs/x', 'tidings'],
    ['mongodb://user:secret@a:1,b:2/staging?replicaSet=rs&authSource=admin', 'staging'],
    ['mongodb+srv://cluster.example/staging', 'staging'],
  ])('is read from the address: for %s it is %s', (url, prefix) => {
    expect(databasePrefixOf(url)).toBe(prefix);
  });
});
