import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '@tidings/kernel';

const FILE = 'mongod-version';

const seriesOf = (version: string): string => version.split('.', 2).join('.');

/** Servers cannot read another series' data. */
export const isSameSeries = (one: string, other: string): boolean => seriesOf(one) === seriesOf(other);

export async function versionOfData(folder: string): Promise<string | undefined> {
  const begun = (await readFile(join(folder, FILE), 'utf8').catch(() => '')).trim();
  return /^\d+\.\d+\.\d/.test(begun) ? begun : undefined;
}

export const otherVersion = (folder: string, begun: string, version: string): Fault =>
  Fault.unavailable(
    `The data in ${folder} are of MongoDB ${begun}, and the mongod here is ${version}: put mongod ${seriesOf(begun)} on the PATH, or move the data (docs/operations/moving.md#another-mongodb)`,
  );

export const keepVersion = (folder: string, version: string): Promise<void> =>
  writeFile(join(folder, FILE), `${version}\n`);
