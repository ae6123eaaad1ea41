import { readFile, rename, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { Failure } from '../session.ts';

const counts = z.object({
  registered: z.int(),
  unsubscribed: z.int(),
  blacklisted: z.int(),
  skipped: z.int(),
  failed: z.int(),
  withoutSomeTags: z.int(),
});

export type Counts = z.output<typeof counts>;

export const noCounts: Counts = {
  registered: 0,
  unsubscribed: 0,
  blacklisted: 0,
  skipped: 0,
  failed: 0,
  withoutSomeTags: 0,
};

const schema = z.object({
  version: z.literal(1),
  /** SHA-256 of the file. */
  file: z.string(),
  /** Options that change which devices are registered, or where. */
  options: z.string(),
  /** All rows before this one are imported. */
  rows: z.int(),
  failedBytes: z.int(),
  counts,
  finished: z.string().optional(),
});

export type ImportState = z.output<typeof schema>;

export const statePathOf = (path: string): string => `${path}.import.json`;

export async function readState(path: string): Promise<ImportState | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new Failure(`${path} is no record of an import. Remove it to import the file from its first row`);
  }
}

/** An interrupted write leaves the state of before. */
export async function writeState(path: string, state: ImportState): Promise<void> {
  const next = `${path}.next`;
  await writeFile(next, `${JSON.stringify(state, null, 2)}\n`);
  await rename(next, path);
}

type Beginning = Pick<ImportState, 'file' | 'options'>;

export const newState = ({ file, options }: Beginning): ImportState => ({
  version: 1,
  file,
  options,
  rows: 0,
  failedBytes: 0,
  counts: noCounts,
});

/** The state to go on from. @throws Failure if it is of another file or of other options */
export function resumedState(known: ImportState | undefined, beginning: Beginning, path: string): ImportState {
  if (!known) return newState(beginning);
  const isSame = known.file === beginning.file && known.options === beginning.options;
  if (isSame) return known;
  if (known.finished !== undefined) return newState(beginning);
  const change = known.file === beginning.file ? 'was being imported with other options' : 'has changed';
  throw new Failure(
    `${path} ${change} since its import was interrupted after ${known.rows} rows. --again imports it from its first row`,
  );
}
