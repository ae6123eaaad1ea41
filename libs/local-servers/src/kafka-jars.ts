import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Fault } from '@tidings/kernel';

export const KAFKA_VERSION = '4.1.0';

const POM = fileURLToPath(new URL('../../../deploy/kafka-local/pom.xml', import.meta.url));
const DOWNLOAD_TIMEOUT_MS = 300_000;
const MESSAGE_CHARACTERS = 2_000;

const folderOf = (version: string): string => join(homedir(), '.cache', 'tidings', `kafka-${version}`);

const runs = (program: string): boolean => spawnSync(program, ['-version'], { stdio: 'ignore' }).status === 0;

export const canRunKafka = (version = KAFKA_VERSION): boolean =>
  runs('java') && (existsSync(folderOf(version)) || (existsSync(POM) && runs('mvn')));

export async function kafkaJars(version: string): Promise<string> {
  const folder = folderOf(version);
  if (existsSync(folder)) return folder;
  await mkdir(dirname(folder), { recursive: true });
  const fresh = await mkdtemp(`${folder}-`);
  try {
    await fetchJars(version, fresh);
    // Atomic: other processes may check for the folder at the same time.
    await rename(fresh, folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
  return folder;
}

async function fetchJars(version: string, folder: string): Promise<void> {
  const options = [`-Dkafka.version=${version}`, '-DincludeScope=runtime', `-DoutputDirectory=${folder}`];
  const maven = spawn('mvn', ['-q', '-B', '-f', POM, 'dependency:copy-dependencies', ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: DOWNLOAD_TIMEOUT_MS,
  });
  let output = '';
  for (const stream of [maven.stdout, maven.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()));
  const [code] = (await once(maven, 'close').catch((error: unknown) => [String(error)])) as [number | string | null];
  if (code !== 0)
    throw Fault.unavailable(`Maven cannot fetch Kafka ${version} (${code}): ${output.slice(-MESSAGE_CHARACTERS)}`);
}
