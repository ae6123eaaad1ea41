import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '@tidings/kernel';

const FILE = 'mongod-version';

export function versionOfProgram(program: string): string {
  const { stdout = '' } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  const version = /^db version v(\S+)/m.exec(stdout)?.[1];
  if (version === undefined) throw Fault.unavailable(`${program} does not report its version`);
  return version;
}

const seriesOf = (version: string): string => version.split('.', 2).join('.');

/** Servers cannot read another series' data. @throws Fault `unavailable` with the remedy */
export async function refuseOtherVersion(folder: string, version: string): Promise<void> {
  const begun = (await readFile(join(folder, FILE), 'utf8').catch(() => '')).trim();
  if (!/^\d+\.\d+\.\d/.test(begun) || seriesOf(begun) === seriesOf(version)) return;
  throw Fault.unavailable(
    `The data in ${folder} are of MongoDB ${begun}, and the mongod here is ${version}: put mongod ${seriesOf(begun)} on the PATH, or move the data (docs/operations/moving.md#another-mongodb)`,
  );
}

export const keepVersion = (folder: string, version: string): Promise<void> =>
  writeFile(join(folder, FILE), `${version}\n`);
