import { existsSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Fault, randomBase62 } from '@tidings/kernel';
import { createOnce } from '@tidings/runtime';
import type { Db } from 'mongodb';

const KEY_FILE = 'mongod-key';
const KEY_LENGTH = 64;
const USER = 'tidings';
export const REPLICA_SET = 'rs0';
/** Before and since MongoDB 4.2. */
const USER_EXISTS: ReadonlySet<unknown> = new Set([11000, 51003]);

export interface MongodKey {
  readonly file: string;
  readonly secret: string;
  readonly isNew: boolean;
}

export async function mongodKey(folder: string): Promise<MongodKey> {
  const file = join(folder, KEY_FILE);
  const { text: secret, isNew } = await createOnce(file, () => randomBase62(KEY_LENGTH));
  if (new RegExp(`^[0-9A-Za-z]{${KEY_LENGTH}}$`).test(secret)) return { file, secret, isNew };
  throw Fault.unavailable(`${file} is damaged: remove it, and the next start makes a new one`);
}

/** Bytes that Linux and macOS both allow for the path of a socket. */
const MAX_SOCKET_PATH = 103;

const socketFolderIn = (folder: string): string => join(folder, 'socket');
const socketIn = (folder: string, port: number): string => join(folder, `mongodb-${port}.sock`);

/** A folder that nobody else enters. @returns undefined where paths are too long for sockets, or there are none */
export async function makeSocketFolder(dataFolder: string, port: number): Promise<string | undefined> {
  const folder = socketFolderIn(dataFolder);
  if (process.platform === 'win32' || Buffer.byteLength(socketIn(folder, port)) > MAX_SOCKET_PATH) return undefined;
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o700);
  return folder;
}

const urlOf = (user: string, database: string, secret: string, host: string): string =>
  `mongodb://${user}:${secret}@${host}/?directConnection=true&authSource=${database}`;

export const replicaSetUrl = (addresses: readonly string[], { secret }: MongodKey): string =>
  `mongodb://${USER}:${secret}@${addresses.join()}/?replicaSet=${REPLICA_SET}&authSource=admin`;

/** A Unix socket costs client and server a fifth less than TCP. */
export function mongodUrl(port: number, { file, secret }: MongodKey): string {
  const socket = socketIn(socketFolderIn(dirname(file)), port);
  return urlOf(USER, 'admin', secret, existsSync(socket) ? encodeURIComponent(socket) : `127.0.0.1:${port}`);
}

export const memberUrl = (port: number, { secret }: MongodKey): string =>
  urlOf('__system', 'local', secret, `127.0.0.1:${port}`);

export async function createUser(admin: Db, { secret, isNew }: MongodKey): Promise<void> {
  try {
    await admin.command({ createUser: USER, pwd: secret, roles: ['root'] });
  } catch (error) {
    if (!USER_EXISTS.has((error as { code?: unknown }).code)) throw error;
    if (isNew) await admin.command({ updateUser: USER, pwd: secret });
  }
}
