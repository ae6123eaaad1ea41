import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { Fault } from '@tidings/kernel';
import { type Machine, OFFICIAL_VERSION, officialBuilds, unsupportedReason } from './official-builds.ts';

const BUILD = `${process.platform}-${process.arch}`;

const defaultCache = (): string => join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'tidings');

const programIn = (cache: string): string => join(cache, `mongod-${OFFICIAL_VERSION}-${BUILD}`, 'mongod');

/** @returns the program that an earlier start has downloaded */
export function cachedOfficialMongod(cache = defaultCache()): string | undefined {
  const program = programIn(cache);
  return existsSync(program) ? program : undefined;
}

export interface DownloadOptions {
  /** @default `tidings` in the user's cache folder */
  readonly cache?: string;
  /** @default the one of the build for this machine */
  readonly sha256?: string;
  /** @default this machine */
  readonly machine?: Machine;
}

/**
 * Downloads the official build for this machine, once per user; `MONGOMS_DOWNLOAD_MIRROR` names another source.
 * @throws Fault `unavailable` with a remedy: unsupported machine, unreachable source, another SHA-256
 */
export async function officialMongod({
  cache = defaultCache(),
  sha256 = officialBuilds.get(BUILD),
  machine = thisMachine(),
}: DownloadOptions = {}): Promise<string> {
  const cached = cachedOfficialMongod(cache);
  if (cached !== undefined) return cached;
  const reason = unsupportedReason(machine);
  if (reason !== undefined || sha256 === undefined) throw unavailable(reason ?? 'this machine has no build');
  const program = programIn(cache);
  await mkdir(cache, { recursive: true });
  const fresh = await mkdtemp(`${dirname(program)}-`);
  try {
    await download(fresh, sha256);
    // Atomic: another process may download at the same time.
    await rename(fresh, dirname(program)).catch((error: unknown) => {
      if (!existsSync(program)) throw error;
    });
  } catch (error) {
    throw unavailable(error instanceof Fault ? error.message : String(error), error);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
  return program;
}

const unavailable = (reason: string, cause?: unknown): Fault =>
  Fault.unavailable(
    `No MongoDB ${OFFICIAL_VERSION} here: ${reason}. Install mongod 7 or newer, or set MONGO_URL`,
    cause,
  );

async function download(folder: string, sha256: string): Promise<void> {
  const { PinnedDownload } = await import('./pinned-download.ts');
  const extracted = await new PinnedDownload(OFFICIAL_VERSION, folder, sha256).getMongodPath();
  const { status, stderr, error } = spawnSync(extracted, ['--version'], { encoding: 'utf8' });
  if (status !== 0) {
    throw Fault.unavailable(`it does not run: ${(error?.message ?? stderr.trim()) || `exit code ${status}`}`);
  }
  await rename(extracted, join(folder, 'mongod'));
}

function thisMachine(): Machine {
  // Reports look up the names of every address otherwise.
  Object.assign(process.report, { excludeNetwork: true });
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  const { platform, arch } = process;
  return { platform, arch, cpuFeatures: cpuFeatures(), glibc: header.glibcVersionRuntime };
}

function cpuFeatures(): ReadonlySet<string> {
  const text =
    process.platform === 'linux'
      ? /^(?:flags|Features)\s*:(.*)$/m.exec(readFileSync('/proc/cpuinfo', 'utf8'))?.[1]
      : spawnSync('sysctl', ['-n', 'machdep.cpu.features'], { encoding: 'utf8' }).stdout;
  return new Set((text ?? '').toLowerCase().trim().split(/\s+/));
}
