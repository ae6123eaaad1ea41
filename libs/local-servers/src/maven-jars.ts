import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { Fault } from '@tidings/kernel';

const DOWNLOAD_TIMEOUT_MS = 300_000;
const MESSAGE_CHARACTERS = 2_000;

/** A program of Maven Central with the jars that it needs. */
export interface MavenProgram {
  /** With its version: the name of its folder in the cache. */
  readonly name: string;
  readonly pom: string;
  readonly options?: readonly string[];
}

const folderOf = ({ name }: MavenProgram): string => join(homedir(), '.cache', 'tidings', name);

const runs = (program: string): boolean => spawnSync(program, ['-version'], { stdio: 'ignore' }).status === 0;

export const canRunJars = (program: MavenProgram): boolean =>
  runs('java') && (existsSync(folderOf(program)) || (existsSync(program.pom) && runs('mvn')));

/** The folder of the jars, which are fetched once for all processes of this machine. */
export async function mavenJars(program: MavenProgram): Promise<string> {
  const folder = folderOf(program);
  if (existsSync(folder)) return folder;
  await mkdir(dirname(folder), { recursive: true });
  const fresh = await mkdtemp(`${folder}-`);
  try {
    await fetchJars(program, fresh);
    // Atomic: other processes may check for the folder at the same time.
    await rename(fresh, folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
  return folder;
}

async function fetchJars({ name, pom, options = [] }: MavenProgram, folder: string): Promise<void> {
  const parameters = [...options, '-DincludeScope=runtime', `-DoutputDirectory=${folder}`];
  const maven = spawn('mvn', ['-q', '-B', '-f', pom, 'dependency:copy-dependencies', ...parameters], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: DOWNLOAD_TIMEOUT_MS,
  });
  let output = '';
  for (const stream of [maven.stdout, maven.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()));
  const [code] = (await once(maven, 'close').catch((error: unknown) => [String(error)])) as [number | string | null];
  if (code !== 0) throw Fault.unavailable(`Maven cannot fetch ${name} (${code}): ${output.slice(-MESSAGE_CHARACTERS)}`);
}
