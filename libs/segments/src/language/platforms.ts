import { Platform, type PlatformCode } from '@tidings/kernel';

const plain = (name: string): string => name.toLowerCase().replaceAll(/[_ -]/g, '');

/** Other names of platforms that clients use. */
const aliases = { osx: Platform.MacOS, ie: Platform.InternetExplorer, huaweiAndroid: Platform.Huawei };

const codes: ReadonlyMap<string, PlatformCode> = new Map(
  Object.entries({ ...Platform, ...aliases }).map(([name, code]) => [plain(name), code]),
);

/** The code of a platform by the name that expressions call it, in any case, with or without `_` (R-N4). */
export const platformNamed = (name: string): PlatformCode | undefined => codes.get(plain(name));
