import type { LookupFunction } from 'node:net';
import { allAddresses, answerWith } from '@tidings/runtime';

/** The first address of a name may be dead or mute. */
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
