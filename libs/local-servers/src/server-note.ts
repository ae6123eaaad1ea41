import { readFile, rename, rm, writeFile } from 'node:fs/promises';

const MAX_PORT = 65_535;

export async function readNote<Name extends string>(
  file: string,
  names: readonly Name[],
): Promise<Readonly<Record<Name, number>> | undefined> {
  try {
    const note: unknown = JSON.parse(await readFile(file, 'utf8'));
    if (typeof note !== 'object' || note === null) return undefined;
    const isWhole = names.every((name) => isNumberOf(name, (note as Partial<Record<Name, unknown>>)[name]));
    return isWhole ? (note as Record<Name, number>) : undefined;
  } catch {
    return undefined;
  }
}

const isNumberOf = (name: string, value: unknown): boolean =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && (value <= MAX_PORT || !/port$/i.test(name));

export async function writeNote(file: string, note: Readonly<Record<string, number | undefined>>): Promise<void> {
  const draft = `${file}.new`;
  try {
    await writeFile(draft, JSON.stringify(note));
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
