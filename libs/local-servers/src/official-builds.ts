/** A release after 8.2.3, which mends CVE-2025-14847; https://www.mongodb.com/docs/manual/release-notes/8.2/ */
export const OFFICIAL_VERSION = '8.2.6';

/**
 * SHA-256 of the archives at https://fastdl.mongodb.org for Ubuntu 24.04 and macOS, by `process.platform` and
 * `process.arch`; as in https://github.com/NixOS/nixpkgs, pkgs/by-name/mo/mongodb-ce, commit 008d49507f92.
 */
export const officialBuilds: ReadonlyMap<string, string> = new Map([
  ['linux-x64', '56314a0f0a81238d974302fbffe7862efe9694c498ead62a0bca92cb595a0df0'],
  ['linux-arm64', '8eaa50d208e82df9effa462a6c5cb200a65b037fa118af0153f701ce1ceab422'],
  ['darwin-x64', '39b6ba80ad21ad1ca8dbd989d7fe81a60aa5f41475eb42d4247fe40740062f3d'],
  ['darwin-arm64', 'ef8301d05cdb4686775aee1ddce391b5f1cd67cdc61179c2d21dab246a2c4f1b'],
]);

export interface Machine {
  readonly platform: string;
  readonly arch: string;
  /** Instruction sets in lower case. */
  readonly cpuFeatures: ReadonlySet<string>;
  /** Absent on macOS, and on Linux with another C library. */
  readonly glibc?: string | undefined;
}

const MIN_GLIBC = '2.39';

const isOlder = (version: string, least: string): boolean => version.localeCompare(least, 'en', { numeric: true }) < 0;

const processors: Readonly<Record<string, { readonly name: string; readonly features: readonly string[] }>> = {
  'linux-x64': { name: 'AVX', features: ['avx'] },
  'darwin-x64': { name: 'AVX', features: ['avx1.0'] },
  // Mandatory since ARMv8.1 and ARMv8.2, respectively.
  'linux-arm64': { name: 'ARMv8.2', features: ['atomics', 'dcpop'] },
};

/** @returns why no official build runs on the machine */
export function unsupportedReason({ platform, arch, cpuFeatures, glibc }: Machine): string | undefined {
  const build = `${platform}-${arch}`;
  if (!officialBuilds.has(build)) return `there is no official build for ${build}`;
  const processor = processors[build];
  if (processor && !processor.features.every((feature) => cpuFeatures.has(feature))) {
    return `it needs a processor with ${processor.name}`;
  }
  if (platform === 'linux' && (glibc === undefined || isOlder(glibc, MIN_GLIBC))) {
    return `it needs glibc ${MIN_GLIBC} (Ubuntu 24.04, Debian 13), this system has ${glibc ? `glibc ${glibc}` : 'another C library'}`;
  }
  return undefined;
}
