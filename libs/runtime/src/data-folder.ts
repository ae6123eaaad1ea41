import { randomBytes } from 'node:crypto';
import { chmod, link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Fault } from '@tidings/kernel';

const writeFailure = (error: unknown): string => {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOSPC' || code === 'EDQUOT' ? 'its volume is full' : (code ?? String(error));
};

export const notWritten = (file: string, error: unknown): Fault =>
  Fault.unavailable(`${file} cannot be written: ${writeFailure(error)}`, error);

export async function openDataFolder(folder: string): Promise<string> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);
    return folder;
  } catch (error) {
    throw Fault.unavailable(`TIDINGS_DATA: the folder cannot be used: ${folder} (${writeFailure(error)})`, error);
  }
}

/** Created once, with mode 0600, atomically and durably. */
export async function createOnce(file: string, make: () => string): Promise<{ text: string; isNew: boolean }> {
  const existing = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw Fault.unavailable(`${file} cannot be read: ${error.code}`, error);
    return undefined;
  });
  if (existing !== undefined) return { text: existing.trim(), isNew: false };
  const text = make();
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await writeDurably(draft, `${text}\n`);
    await link(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw notWritten(file, error);
    return { text: (await readFile(file, 'utf8')).trim(), isNew: false };
  } finally {
    await rm(draft, { force: true });
  }
  await syncFolder(dirname(file));
  return { text, isNew: true };
}

const unless =
  (...codes: readonly string[]) =>
  (error: NodeJS.ErrnoException): undefined => {
    if (!codes.includes(error.code!)) throw error;
  };

async function writeDurably(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const SYNCS_NO_FOLDERS = ['EISDIR', 'EACCES', 'EPERM', 'EINVAL', 'ENOTSUP'];

/** A failing disk is an error: data must not appear durable. */
export async function syncFolder(
  folder: string,
  openFolder: (folder: string) => Promise<{ sync(): Promise<void>; close(): Promise<void> }> = open,
): Promise<void> {
  const handle = await openFolder(folder).catch(unless(...SYNCS_NO_FOLDERS));
  try {
    await handle?.sync().catch(unless(...SYNCS_NO_FOLDERS));
  } finally {
    await handle?.close();
  }
}
