import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

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

/** `folder` is absolute or from the root; results are relative to it. */
export const filesBelow = (folder, pattern = '**/*') => {
  const base = resolve(root, folder);
  return existsSync(base)
    ? globSync(pattern, { cwd: base, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => relative(base, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
        .toSorted()
    : [];
};
