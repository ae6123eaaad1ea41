import { join } from 'node:path';
import { Fault, randomBase62 } from '@tidings/kernel';
import { onceMade } from '@tidings/runtime';
import type { Db } from 'mongodb';

const KEY_FILE = 'mongod-key';
/** 64 characters of base 62 hold 381 random bits. */
const KEY_LENGTH = 64;
const USER = 'tidings';
/** Name of every replica set on this machine. */
export const REPLICA_SET = 'rs0';
/** Codes before and since MongoDB 4.2. */
const USER_EXISTS: ReadonlySet<unknown> = new Set([11000, 51003]);

/** Credentials of a folder's server: other users of the machine can connect to its port, but cannot read the folder. */
export interface MongodKey {
  /** Path for the server's `keyFile`. */
  readonly file: string;
  readonly secret: string;
  /** Whether it is new: the data may have a user with the password of an earlier key, which was lost. */
  readonly made: boolean;
}

/** @throws Fault `unavailable` if the file is damaged */
export async function mongodKey(folder: string): Promise<MongodKey> {
  const file = join(folder, KEY_FILE);
  const { text: secret, made } = await onceMade(file, () => randomBase62(KEY_LENGTH));
  if (new RegExp(`^[0-9A-Za-z]{${KEY_LENGTH}}$`).test(secret)) return { file, secret, made };
  throw Fault.unavailable(`${file} is damaged: remove it, and the next start makes a new one`);
}

const addressOf = (user: string, database: string, secret: string, port: number): string =>
  `mongodb://${user}:${secret}@127.0.0.1:${port}/?directConnection=true&authSource=${database}`;

/** The address of a replica set of several members with its user and password: clients find the primary. */
export const replicaSetUrl = (addresses: readonly string[], { secret }: MongodKey): string =>
  `mongodb://${USER}:${secret}@${addresses.join()}/?replicaSet=${REPLICA_SET}&authSource=admin`;

/** The server's address with its user and password. */
export const mongodUrl = (port: number, { secret }: MongodKey): string => addressOf(USER, 'admin', secret, port);

/** The address with the replica set's internal credentials, which exist before any user. */
export const memberUrl = (port: number, { secret }: MongodKey): string => addressOf('__system', 'local', secret, port);

/** Creates the user of {@link mongodUrl} unless it exists; with a new key it gets the new password. */
export async function createUser(admin: Db, { secret, made }: MongodKey): Promise<void> {
  try {
    await admin.command({ createUser: USER, pwd: secret, roles: ['root'] });
  } catch (error) {
    if (!USER_EXISTS.has((error as { code?: unknown }).code)) throw error;
    if (made) await admin.command({ updateUser: USER, pwd: secret });
  }
}
