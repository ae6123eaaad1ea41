import { Platform } from '@tidings/kernel';

const plain = (name: string): string => name.toLowerCase().replaceAll(/[_ -]/g, '');

/** Aliases of platforms that clients use. */
const aliases = { osx: Platform.MacOS, ie: Platform.InternetExplorer, huaweiAndroid: Platform.Huawei };

/** A code that no device has. */
const NO_PLATFORM = 0;

/** Discontinued platforms that clients still name: they match no device (R-RES13). */
const bygone = { asha: NO_PLATFORM, bada: NO_PLATFORM, symbian: NO_PLATFORM };

const codes: ReadonlyMap<string, number> = new Map(
  Object.entries({ ...Platform, ...aliases, ...bygone }).map(([name, code]) => [plain(name), code]),
);

/** The code of a platform by its name in expressions, in any case, with or without `_` (R-N4); 0 for a discontinued one. */
export const platformNamed = (name: string): number | undefined => codes.get(plain(name));
