import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's top folder. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Every package of the workspace: its name, its folder relative to the root, and its individually exported files; ordered by folder. */
export const packages = globSync('{libs,apps}/*/package.json', { cwd: root })
  .map((file) => ({
    folder: dirname(file).replaceAll('\\', '/'),
    manifest: JSON.parse(readFileSync(join(root, file), 'utf8')),
  }))
  .map(({ folder, manifest }) => ({
    name: manifest.name,
    folder,
    tags: manifest.nx?.tags ?? [],
    entries: Object.entries(manifest.exports ?? {})
      .map(([entry, { '@tidings/source': source }]) => ({ entry, source }))
      .filter(({ entry }) => !entry.includes('*')),
  }))
  .toSorted((a, b) => (a.folder < b.folder ? -1 : 1));

/** The files below `folder` (from the root, or absolute) that match `pattern`, relative to `folder`. */
export const filesBelow = (folder, pattern = '**/*') => {
  const base = resolve(root, folder);
  return existsSync(base)
    ? globSync(pattern, { cwd: base, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => relative(base, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
        .toSorted()
    : [];
};
