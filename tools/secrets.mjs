// Writes a Compose deployment's secrets to `.env`; existing ones stay. --rotate makes the master key the previous one, and a new one.
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

const FILE = '.env';
const secrets = {
  TIDINGS_MASTER_KEY: () => randomBytes(32).toString('base64'),
  TIDINGS_ADMIN_TOKEN: () => `tdm_${randomBytes(24).toString('hex')}`,
};
const PREVIOUS = 'TIDINGS_MASTER_KEY_PREVIOUS';

const before = existsSync(FILE) ? readFileSync(FILE, 'utf8') : '';
const lineOf = (name) => new RegExp(`^([ \\t]*(?:export[ \\t]+)?)${name}([ \\t]*=[ \\t]*)(.*)\\n?`, 'm');
const isIn = (text, name) => (lineOf(name).exec(text)?.[3] ?? '') !== '';

function refuse(why) {
  console.error(`${FILE}: ${why}`);
  process.exit(1);
}

function rotated(text) {
  if (!isIn(text, 'TIDINGS_MASTER_KEY')) refuse('TIDINGS_MASTER_KEY is not there');
  if (isIn(text, PREVIOUS)) refuse(`${PREVIOUS} is there: end that rotation first, and remove the line`);
  return text.replace(lineOf(PREVIOUS), '').replace(lineOf('TIDINGS_MASTER_KEY'), `$1${PREVIOUS}$2$3\n`);
}

const text = process.argv.includes('--rotate') ? rotated(before) : before;
const missing = Object.keys(secrets).filter((name) => !isIn(text, name));
const kept = Object.keys(secrets).filter((name) => isIn(text, name));

if (missing.length > 0) {
  const lines = missing.map((name) => `${name}=${secrets[name]()}\n`).join('');
  const begin = text === '' || text.endsWith('\n') ? '' : '\n';
  // Atomic: a partial file would have lost a key.
  writeFileSync(`${FILE}.new`, text + begin + lines, { mode: 0o600 });
  renameSync(`${FILE}.new`, FILE);
}
// Also for an existing file: other users must not read the new content.
chmodSync(FILE, 0o600);

if (missing.length > 0) console.log(`${FILE}: made ${missing.join(' and ')}. Keep a copy of the master key elsewhere.`);
if (kept.length > 0) console.log(`${FILE}: kept ${kept.join(' and ')}.`);
