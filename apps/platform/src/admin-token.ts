import { join } from 'node:path';
import { Fault, randomBase62 } from '@tidings/kernel';
import { createOnce } from '@tidings/runtime';

/** 196 random bits in base 62. */
const SECRET_LENGTH = 33;

export const ADMIN_TOKEN_FILE = 'admin-token';

export interface AdminToken {
  readonly secret: string;
  /** The token can be shown at this start only. */
  readonly made: boolean;
}

/** Stored beside the master key, whose reader has full access anyway. @throws Fault `unavailable` if the file is damaged */
export async function adminTokenOf(folder: string, given: string | undefined): Promise<AdminToken> {
  if (given !== undefined) return { secret: given, made: false };
  const file = join(folder, ADMIN_TOKEN_FILE);
  const { text, isNew } = await createOnce(file, () => `tdm_${randomBase62(SECRET_LENGTH)}`);
  // With an empty token every request would be an administrator's.
  if (!/^[\x21-\x7e]{24,}$/.test(text))
    throw Fault.unavailable(`${file} is damaged, it holds no token: remove it, and the next start makes a new one`);
  return { secret: text, made: isNew };
}
