// Writes the secrets of a deployment with Docker Compose into `.env`, which Compose reads by itself. Those that are there stay.
import { randomBytes } from 'node:crypto';
import { appendFileSync, chmodSync, existsSync, readFileSync } from 'node:fs';

const FILE = '.env';
const secrets = {
  TIDINGS_MASTER_KEY: () => randomBytes(32).toString('base64'),
  TIDINGS_ADMIN_TOKEN: () => `tdm_${randomBytes(24).toString('hex')}`,
};

const text = existsSync(FILE) ? readFileSync(FILE, 'utf8') : '';
const isThere = (name) => new RegExp(`^\\s*(export\\s+)?${name}\\s*=\\s*\\S`, 'm').test(text);
const missing = Object.keys(secrets).filter((name) => !isThere(name));
const lines = missing.map((name) => `${name}=${secrets[name]()}\n`).join('');
const begin = text === '' || text.endsWith('\n') ? '' : '\n';

if (missing.length > 0) appendFileSync(FILE, begin + lines, { mode: 0o600 });
// Also where it was there before: others must not read what it holds now.
chmodSync(FILE, 0o600);

const kept = Object.keys(secrets).filter(isThere);
if (missing.length > 0) console.log(`${FILE}: made ${missing.join(' and ')}. Keep a copy of the master key elsewhere.`);
if (kept.length > 0) console.log(`${FILE}: kept ${kept.join(' and ')}.`);
