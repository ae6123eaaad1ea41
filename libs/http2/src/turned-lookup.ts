import type { LookupFunction } from 'node:net';
import { allAddresses, answerWith } from '@tidings/runtime';

/**
 * A look-up whose addresses begin with another one after each failed attempt: the first address of a name may be dead, or accept connections and answer nothing.
 * @param offset the number of failed attempts so far
 */
export const turnedLookup =
  (of: LookupFunction, offset: () => number): LookupFunction =>
  (hostname, options, callback) =>
    allAddresses(of, hostname, options, (error, found) => {
      if (error) {
        callback(error, '', 0);
        return;
      }
      const first = offset() % Math.max(1, found.length);
      answerWith([...found.slice(first), ...found.slice(0, first)], options, callback);
    });
