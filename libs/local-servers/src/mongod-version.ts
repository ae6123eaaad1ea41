import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '@tidings/kernel';

const FILE = 'mongod-version';

/** The version of a server program, e.g. `4.0.10`. @throws Fault `unavailable` if the program does not print it */
export function versionOfProgram(program: string): string {
  const { stdout = '' } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  const version = /^db version v(\S+)/m.exec(stdout)?.[1];
  if (version === undefined) throw Fault.unavailable(`${program} does not report its version`);
  return version;
}

/** The release series, such as `4.0`: its releases share a data format. */
const seriesOf = (version: string): string => version.split('.', 2).join('.');

/**
 * Refuses data of another MongoDB series: servers cannot read it, except for an upgrade that needs an operator.
 * @throws Fault `unavailable` with both versions and the remedy
 */
export async function refuseOtherVersion(folder: string, version: string): Promise<void> {
  const begun = (await readFile(join(folder, FILE), 'utf8').catch(() => '')).trim();
  // A damaged file says nothing; the server then says itself whether it can read the data.
  if (!/^\d+\.\d+\.\d/.test(begun) || seriesOf(begun) === seriesOf(version)) return;
  throw Fault.unavailable(
    `The data in ${folder} are of MongoDB ${begun}, and the mongod here is ${version}: put mongod ${seriesOf(begun)} on the PATH, or move the data (docs/operations/moving.md#another-mongodb)`,
  );
}

/** Stores the version of the server that opened the data. */
export const keepVersion = (folder: string, version: string): Promise<void> =>
  writeFile(join(folder, FILE), `${version}\n`);
