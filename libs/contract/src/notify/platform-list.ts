import { isPlatform, type PlatformCode } from '@tidings/kernel';
import { platformWords } from '../statistics/platform-words.ts';
import { z } from 'zod';
import { array, integer } from '../values.ts';

const words: ReadonlyMap<string, PlatformCode> = new Map<string, PlatformCode>([
  ...Object.entries(platformWords),
  ['MAC_OS', platformWords.OSX],
]);

/** A platform of the specification that no device registers with: it addresses no device. */
const NOBODY = 'BAIDU_ANDROID';

const platform = z.union(
  [
    z.enum([...words.keys(), NOBODY]).transform((word) => words.get(word)),
    integer.refine(isPlatform).transform((code) => code as PlatformCode | undefined),
  ],
  { error: 'unknown value' },
);

/** Platforms by name, or by code (R-O1): an entry of undefined is a platform without devices. */
export const platforms = array(platform);
