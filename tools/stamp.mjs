// Times of files, by which a later run knows that nothing has changed.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './packages.mjs';

const timesOf = (paths) => paths.map((path) => [path, statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs]);

export const stampOf = (paths) => JSON.stringify(timesOf(paths));

/** @param isStill whether these are still the paths to look at */
export function isCurrent(stamp, isStill = () => true) {
  if (!existsSync(stamp)) return false;
  const stored = readFileSync(stamp, 'utf8');
  const paths = JSON.parse(stored).map(([path]) => path);
  return isStill(paths) && stampOf(paths) === stored;
}
