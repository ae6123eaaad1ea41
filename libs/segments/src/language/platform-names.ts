import { Platform } from '@tidings/kernel';

const plain = (name: string): string => name.toLowerCase().replaceAll(/[_ -]/g, '');

/** Other names of platforms that clients use. */
const aliases = { osx: Platform.MacOS, ie: Platform.InternetExplorer, huaweiAndroid: Platform.Huawei };

/** The code of what no device has. */
const NO_PLATFORM = 0;

/** Platforms of clients in the field that no longer exist: they match nobody (R-RES13). */
const bygone = { asha: NO_PLATFORM, bada: NO_PLATFORM, symbian: NO_PLATFORM };

const codes: ReadonlyMap<string, number> = new Map(
  Object.entries({ ...Platform, ...aliases, ...bygone }).map(([name, code]) => [plain(name), code]),
);

/** The code of a platform by the name that expressions call it, in any case, with or without `_` (R-N4); 0 for one that no device has. */
export const platformNamed = (name: string): number | undefined => codes.get(plain(name));
