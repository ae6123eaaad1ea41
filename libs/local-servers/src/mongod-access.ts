import { join } from 'node:path';
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

const addressOf = (user: string, database: string, secret: string, port: number): string =>
  `mongodb://${user}:${secret}@127.0.0.1:${port}/?directConnection=true&authSource=${database}`;

export const replicaSetUrl = (addresses: readonly string[], { secret }: MongodKey): string =>
  `mongodb://${USER}:${secret}@${addresses.join()}/?replicaSet=${REPLICA_SET}&authSource=admin`;

export const mongodUrl = (port: number, { secret }: MongodKey): string => addressOf(USER, 'admin', secret, port);

export const memberUrl = (port: number, { secret }: MongodKey): string => addressOf('__system', 'local', secret, port);

export async function createUser(admin: Db, { secret, isNew }: MongodKey): Promise<void> {
  try {
    await admin.command({ createUser: USER, pwd: secret, roles: ['root'] });
  } catch (error) {
    if (!USER_EXISTS.has((error as { code?: unknown }).code)) throw error;
    if (isNew) await admin.command({ updateUser: USER, pwd: secret });
  }
}
