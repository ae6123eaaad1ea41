import { isPlatform, type PlatformCode } from '@tidings/kernel';
import { platformWords } from '../statistics/platform-words.ts';
import { z } from 'zod';
import { array, integer } from '../values.ts';

const words: ReadonlyMap<string, PlatformCode> = new Map<string, PlatformCode>([
  ...Object.entries(platformWords),
  ['MAC_OS', platformWords.OSX],
]);

/** No device registers with it. */
const WITHOUT_DEVICES = 'BAIDU_ANDROID';

const platform = z.union(
  [
    z.enum([...words.keys(), WITHOUT_DEVICES]).transform((word) => words.get(word)),
    integer.refine(isPlatform).transform((code) => code as PlatformCode | undefined),
  ],
  { error: 'unknown value' },
);

/** Undefined = a platform without devices (R-O1). */
export const platforms = array(platform);
