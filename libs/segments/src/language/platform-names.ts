import { Platform, platformCodes } from '@tidings/kernel';

const plain = (name: string): string => name.toLowerCase().replaceAll(/[_ -]/g, '');

const aliases = {
  osx: Platform.MacOS,
  macOsX: Platform.MacOS,
  huaweiAndroid: Platform.Huawei,
  ie: Platform.InternetExplorer,
  ie11: Platform.InternetExplorer,
  internetExplorer11: Platform.InternetExplorer,
};

const NO_PLATFORM = 0;

/** Clients name them, but no device registers with them (R-RES13, R-O1). */
const withoutDevices = { asha: NO_PLATFORM, bada: NO_PLATFORM, symbian: NO_PLATFORM, baiduAndroid: NO_PLATFORM };

const codes: ReadonlyMap<string, number> = new Map([
  ...Object.entries({ ...Platform, ...aliases, ...withoutDevices }).map(([name, code]) => [plain(name), code] as const),
  ...platformCodes.map((code) => [String(code), code] as const),
]);

/** In any case, with or without `_` (R-N4); 0 if it has no devices. */
export const platformNamed = (name: string): number | undefined => codes.get(plain(name));
