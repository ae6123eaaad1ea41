import type { LookupFunction } from 'node:net';
import { allAddresses, answerWith } from '@tidings/runtime';

/**
 * A look-up whose addresses begin with another one after each turn: the first address of a name may be dead, or accept connections and answer nothing.
 * @param turns their number so far
 */
export const turnedLookup =
  (of: LookupFunction, turns: () => number): LookupFunction =>
  (hostname, options, callback) =>
    allAddresses(of, hostname, options, (error, found) => {
      if (error) {
        callback(error, '', 0);
        return;
      }
      const first = turns() % Math.max(1, found.length);
      answerWith([...found.slice(first), ...found.slice(0, first)], options, callback);
    });
