// Compiles src to dist in every package, without type checks, which `npm run lint` does, and bundles the programs.
//   node tools/build.mjs [folder …]    only the packages in these folders, such as libs/kernel
//   node tools/build.mjs --quiet       says nothing of a success
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { bundle, isBundled, programs } from './bundle.mjs';
import { filesBelow, packages, root } from './packages.mjs';
import { isCurrent, stampOf } from './stamp.mjs';
import { swcOptions } from './swc.mjs';
import { declarationOf, isForBrowsers, scriptsForBrowsers } from './web-sdk.mjs';

const options = swcOptions({ rewriteRelativeImportExtensions: true });
// It takes longer to load than it takes to see that nothing has changed.
const swc = () => import('@swc/core');

/** In the file system of the output, so that renames are atomic. */
const unfinished = join(root, 'node_modules', `.tidings-build-${process.pid}`);

/** Leaves up-to-date files untouched, for users without write access; replaces others atomically, for processes that start meanwhile. */
function write(file, content) {
  const bytes = Buffer.from(content);
  if (existsSync(file) && readFileSync(file).equals(bytes)) return;
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(unfinished, bytes);
    renameSync(unfinished, file);
  } catch (error) {
    console.error(`What is built is older than its sources and cannot be renewed: ${error.message}`);
    process.exit(1);
  }
}

/** The entry of each bundle, by its source. */
const compiled = new Map();

async function compile(folder, source) {
  const from = join(root, folder, 'src', source);
  const target = join(root, folder, 'dist', source);
  if (!source.endsWith('.ts')) {
    write(target, readFileSync(from));
    return [source];
  }
  const js = source.replace(/\.ts$/, '.js');
  const file = join(root, folder, 'dist', js);
  const { transform } = await swc();
  const { code, map } = await transform(readFileSync(from, 'utf8'), {
    ...options,
    filename: from,
    sourceFileName: from,
  });
  if (isWhole && programs.includes(`${folder}/src/${source}`)) {
    compiled.set(`${folder}/src/${source}`, { code, file });
    return [js, `${js}.map`];
  }
  write(file, `${code}//# sourceMappingURL=${js.split('/').at(-1)}.map\n`);
  write(`${file}.map`, map);
  return [js, `${js}.map`];
}

const sourcesIn = (folder) => filesBelow(`${folder}/src`).filter((file) => !/\.spec\.ts$|\.d\.ts$/.test(file));

/** Not imported by any program here: others have it from npm, or as scripts. */
async function writeForBrowsers(folder, sources) {
  const files = {
    ...(await scriptsForBrowsers(folder)),
    ...Object.fromEntries(
      await Promise.all(
        sources.map(async (source) => [source.replace(/\.ts$/, '.d.ts'), await declarationOf(folder, source)]),
      ),
    ),
  };
  for (const [file, content] of Object.entries(files)) write(join(root, folder, 'dist', file), content);
  return Object.keys(files);
}

async function build({ folder, tags }) {
  const sources = sourcesIn(folder);
  const compiled = new Set((await Promise.all(sources.map((source) => compile(folder, source)))).flat());
  if (isForBrowsers({ tags })) for (const file of await writeForBrowsers(folder, sources)) compiled.add(file);
  for (const file of filesBelow(`${folder}/dist`)) {
    if (!compiled.has(file)) rmSync(join(root, folder, 'dist', file), { force: true });
  }
  return sources.length;
}

const [folders, quiet] = [process.argv.slice(2).filter((each) => each !== '--quiet'), process.argv.includes('--quiet')];
/** A build of some packages makes no bundle. */
const isWhole = folders.length === 0;
const unknown = folders.filter((folder) => !packages.some((each) => each.folder === folder));
if (unknown.length > 0) {
  console.error(`no such package: ${unknown.join(', ')}`);
  process.exit(2);
}

const started = performance.now();
const chosen = folders.length > 0 ? packages.filter(({ folder }) => folders.includes(folder)) : packages;
const total = chosen.reduce((sum, { folder }) => sum + sourcesIn(folder).length, 0);

/** Times of all sources, of their outputs, and of the tools. */
const STAMP = join(root, 'dist', 'built.json');
const filesOfBuild = () => [
  'package-lock.json',
  ...['build', 'bundle', 'packages', 'swc', 'web-sdk'].map((name) => `tools/${name}.mjs`),
  ...packages.flatMap(({ folder }) => [
    ...sourcesIn(folder).map((file) => `${folder}/src/${file}`),
    ...filesBelow(`${folder}/dist`).map((file) => `${folder}/dist/${file}`),
  ]),
];
const isSame = (paths) => paths.join() === filesOfBuild().join();

if (!isWhole || !isCurrent(STAMP, isSame) || !isBundled()) {
  await Promise.all(chosen.map(build));
  if (isWhole) {
    await bundle(compiled, write);
    // A user without write access compares each file instead.
    await writeFile(STAMP, stampOf(filesOfBuild())).catch(() => undefined);
  }
}
if (!quiet) console.error(`built ${total} files in ${Math.round(performance.now() - started)} ms`);
