import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readEnv } from '@tidings/runtime';
import { environmentOf } from './node-process.ts';

const key = randomBytes(32);
const given = {
  TIDINGS_MASTER_KEY: key.toString('base64'),
  TIDINGS_ADMIN_TOKEN: 'administrator-administrator',
  MONGO_URL: 'mongodb://127.0.0.1:1',
};

describe('the environment of a child', () => {
  let folder: string;
  let inherited: NodeJS.ProcessEnv;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'tidings-child-'));
    const file = join(folder, 'secret');
    writeFileSync(file, 'smtp://relay.example');
    const names = [...Object.keys(given), 'SMTP_URL'];
    inherited = Object.fromEntries(names.map((name) => [`${name}_FILE`, file]));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('has the given secrets in place of files that name them, and other files unchanged', () => {
    const { masterKey, adminToken, mongoUrl, providers } = readEnv(environmentOf(given, inherited));
    expect(Buffer.from(masterKey!)).toEqual(key);
    expect({ adminToken, mongoUrl }).toEqual({ adminToken: given.TIDINGS_ADMIN_TOKEN, mongoUrl: given.MONGO_URL });
    expect(providers.smtp).toContain('relay.example');
  });

  it('has a file that is given explicitly', () => {
    const own = { SMTP_URL: '', SMTP_URL_FILE: inherited['SMTP_URL_FILE']! };
    expect(readEnv(environmentOf(own, {})).providers.smtp).toContain('relay.example');
  });
});
