import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Secrets } from '@tidings/client';
import { type Binary, BSON } from 'mongodb';
import type { Answers } from './answers.ts';

export const FIXTURE = fileURLToPath(new URL('../fixture/', import.meta.url));
const ARCHIVE = 'archive.bson.gz';
const ANSWERS = 'answers.json';
/** Every clone of the repository has it. */
const MAX_BYTES = 2 << 20;

/** Encrypts only credentials of simulated providers. */
export const MASTER_KEY = Buffer.alloc(32, 'fixture');

export interface WaitingMessage {
  readonly code: string;
  readonly application: string;
  /** No longer than the time of a device that waits for its provider. */
  readonly stepSeconds: number;
  readonly devices: Readonly<Record<string, readonly string[]>>;
  readonly sent: number;
}

export interface FixtureAnswers extends Answers {
  readonly version: string;
  readonly answeredAt: string;
  readonly secrets: Omit<Secrets, 'admin'>;
  readonly waiting: readonly WaitingMessage[];
}

type Packed = Readonly<Record<string, Binary>>;

/** @throws Error when it is too large, or names this machine */
export async function writeFixture(
  folder: string,
  archive: string,
  answers: FixtureAnswers,
  forbidden: readonly string[],
): Promise<void> {
  const files: Record<string, Buffer> = {};
  const entries = await readdir(archive, { recursive: true, withFileTypes: true });
  for (const file of entries.filter((entry) => entry.isFile())) {
    const path = join(file.parentPath, file.name);
    files[relative(archive, path).replaceAll('\\', '/')] = await readFile(path);
  }
  const text = `${JSON.stringify(answers, null, 1)}\n`;
  const all = Object.entries(files).map(([path, bytes]) => (path.endsWith('.gz') ? gunzipSync(bytes) : bytes));
  const found = forbidden.filter((word) => text.includes(word) || all.some((bytes) => bytes.includes(word)));
  if (found.length > 0) throw new Error(`the data names this machine: ${found.join(', ')}`);
  const packed = gzipSync(BSON.serialize(files), { level: 9 });
  if (packed.length > MAX_BYTES) throw new Error(`${packed.length} bytes are more than ${MAX_BYTES}`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await Promise.all([writeFile(join(folder, ARCHIVE), packed), writeFile(join(folder, ANSWERS), text)]);
}

export const fixtureAnswers = async (folder: string): Promise<FixtureAnswers> =>
  JSON.parse(await readFile(join(folder, ANSWERS), 'utf8')) as FixtureAnswers;

export async function unpackFixture(folder: string, archive: string): Promise<void> {
  const packed = BSON.deserialize(gunzipSync(await readFile(join(folder, ARCHIVE)))) as Packed;
  for (const [path, { buffer }] of Object.entries(packed)) {
    await mkdir(dirname(join(archive, path)), { recursive: true });
    await writeFile(join(archive, path), buffer);
  }
}
