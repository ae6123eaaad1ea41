import { describe, expect, it } from '@jest/globals';
import { type Machine, officialBuilds, unsupportedReason } from './official-builds.ts';

const machine = (build: string, features: string, glibc?: string): Machine => {
  const [platform = '', arch = ''] = build.split('-');
  return { platform, arch, cpuFeatures: new Set(features.split(' ')), glibc };
};

describe('an official build of MongoDB', () => {
  it.each([
    ['a PC', machine('linux-x64', 'sse avx avx2', '2.39')],
    ['an ARM server', machine('linux-arm64', 'fp asimd crc32 atomics dcpop', '2.41')],
    ['a Mac with an Apple processor', machine('darwin-arm64', '')],
    ['a Mac with an Intel processor', machine('darwin-x64', 'sse4.2 avx1.0')],
  ])('supports %s', (_, each) => {
    expect(unsupportedReason(each)).toBeUndefined();
  });

  it.each([
    ['a PC without AVX', machine('linux-x64', 'sse', '2.39'), 'needs a processor with AVX'],
    ['a Mac without AVX', machine('darwin-x64', 'sse4.2'), 'needs a processor with AVX'],
    ['a Cortex-A72', machine('linux-arm64', 'fp asimd crc32 cpuid', '2.39'), 'needs a processor with ARMv8.2'],
    ['an older C library', machine('linux-x64', 'avx', '2.36'), 'this system has glibc 2.36'],
    ['musl', machine('linux-x64', 'avx'), 'this system has another C library'],
    ['Windows', machine('win32-x64', 'avx'), 'no official build for win32-x64'],
    ['a big-endian machine', machine('linux-s390x', '', '2.39'), 'for linux-s390x'],
  ])('does not support %s', (_, each, reason) => {
    expect(unsupportedReason(each)).toContain(reason);
  });

  it('has a SHA-256 for each platform', () => {
    expect([...officialBuilds.values()].filter((hash) => !/^[0-9a-f]{64}$/.test(hash))).toEqual([]);
  });
});
