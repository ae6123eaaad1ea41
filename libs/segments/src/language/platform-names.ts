import { Platform, platformCodes } from '@tidings/kernel';

const plain = (name: string): string => name.toLowerCase().replaceAll(/[_ -]/g, '');

/** Aliases of platforms: those that clients use, and the names in lists and replies of the API. */
const aliases = {
  osx: Platform.MacOS,
  macOsX: Platform.MacOS,
  huaweiAndroid: Platform.Huawei,
  ie: Platform.InternetExplorer,
  ie11: Platform.InternetExplorer,
  internetExplorer11: Platform.InternetExplorer,
};

/** A code that no device has. */
const NO_PLATFORM = 0;

/** Platforms that clients name although no device registers with them: they match no device (R-RES13, R-O1). */
const bygone = { asha: NO_PLATFORM, bada: NO_PLATFORM, symbian: NO_PLATFORM, baiduAndroid: NO_PLATFORM };

const codes: ReadonlyMap<string, number> = new Map([
  ...Object.entries({ ...Platform, ...aliases, ...bygone }).map(([name, code]) => [plain(name), code] as const),
  ...platformCodes.map((code) => [String(code), code] as const),
]);

/** The code of a platform by its name in expressions, in any case, with or without `_` (R-N4), or by its code (R-O1); 0 if it has no devices. */
export const platformNamed = (name: string): number | undefined => codes.get(plain(name));
