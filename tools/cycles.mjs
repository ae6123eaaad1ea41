// Fails on import cycles, of types too: a file that takes types from its users cannot be read alone. ESLint's rules for this resolve every import
// again for every file.
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import ts from 'typescript';
import { filesBelow, packages, root } from './packages.mjs';

const entries = new Map(
  packages.flatMap(({ name, folder, entries: own }) =>
    own.map(({ entry, source }) => [posix.join(name, entry), posix.join(folder, source)]),
  ),
);
const files = packages.flatMap(({ folder }) =>
  filesBelow(`${folder}/src`, '**/*.ts').map((file) => `${folder}/src/${file}`),
);

/** Without npm packages and Node's own modules. */
function imports(file) {
  const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest);
  return source.statements
    .filter((node) => ts.isImportDeclaration(node) || ts.isExportDeclaration(node))
    .filter((node) => node.moduleSpecifier)
    .map(({ moduleSpecifier: { text } }) =>
      text.startsWith('.') ? posix.join(posix.dirname(file), text) : entries.get(text),
    )
    .filter((target) => target !== undefined);
}

const graph = new Map(files.map((file) => [file, imports(file)]));
const done = new Set();
const cycles = [];

function visit(file, trail) {
  if (trail.includes(file)) {
    cycles.push([...trail.slice(trail.indexOf(file)), file]);
    return;
  }
  if (done.has(file)) return;
  for (const target of graph.get(file) ?? []) visit(target, [...trail, file]);
  done.add(file);
}

for (const file of files) visit(file, []);
for (const cycle of cycles) console.error(`import cycle: ${cycle.join(' -> ')}`);
console.log(`${files.length} files, ${cycles.length} import cycles`);
process.exitCode = cycles.length > 0 ? 1 : 0;
