import { join } from 'node:path';
import { randomBase62 } from '@tidings/kernel';
import { onceMade } from '@tidings/runtime';

/** 33 characters of base 62 hold 196 random bits. */
const SECRET_LENGTH = 33;

export const ADMIN_TOKEN_FILE = 'admin-token';

export interface AdminToken {
  readonly secret: string;
  /** Made just now: this is the one time to show it. */
  readonly made: boolean;
}

/**
 * The administrator's token: the given one, else the one of the data folder, which is made at the first start. It is kept beside the
 * master key, readable by the owner of the folder only, who can do everything anyway.
 */
export async function adminTokenOf(folder: string, given: string | undefined): Promise<AdminToken> {
  if (given !== undefined) return { secret: given, made: false };
  const { text, made } = await onceMade(join(folder, ADMIN_TOKEN_FILE), () => `tdm_${randomBase62(SECRET_LENGTH)}`);
  return { secret: text, made };
}
