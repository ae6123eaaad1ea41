// Fails when the lockfile names a registry host, or lacks an optional platform package: npm drops these silently, and `npm ci` fails there.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './packages.mjs';

const { packages: locked } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));

/** Searches node_modules folders upwards, as Node does. */
const resolves = (path, name) => {
  const parts = path.split('/node_modules/');
  return (
    [...parts.keys()].some(
      (index) => `${parts.slice(0, index + 1).join('/node_modules/')}/node_modules/${name}` in locked,
    ) || `node_modules/${name}` in locked
  );
};

const missing = Object.entries(locked).flatMap(([path, { optionalDependencies }]) =>
  Object.keys(optionalDependencies ?? {})
    .filter((name) => !resolves(path, name))
    .map((name) => `${path} wants ${name}, which is not locked`),
);
const hosts = Object.entries(locked)
  .filter(([, { resolved, link }]) => resolved && !link)
  .map(([path, { resolved }]) => `${path} names where it came from: ${resolved}`);

for (const fault of [...missing, ...hosts]) console.error(fault);
console.log(`${Object.keys(locked).length} locked packages`);
process.exitCode = missing.length + hosts.length > 0 ? 1 : 0;
