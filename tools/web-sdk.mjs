// The files of a package for browsers: its scripts, for pages without a bundler, and its type declarations.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './packages.mjs';

export const isForBrowsers = ({ tags }) => tags.includes('layer:browser');

const BASE = {
  bundle: true,
  write: false,
  minify: true,
  platform: 'browser',
  format: 'iife',
  target: ['chrome109', 'firefox115', 'safari16.4'],
  conditions: ['@tidings/source'],
  // `sideEffects` names built files.
  ignoreAnnotations: true,
  legalComments: 'none',
  logLevel: 'warning',
};

async function script(folder, contents) {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({ ...BASE, stdin: { contents, resolveDir: join(root, folder, 'src') } });
  return outputFiles[0].text;
}

/** By the path in `dist`. */
export async function scriptsForBrowsers(folder) {
  const [page, worker] = await Promise.all([
    script(folder, `import { connect } from './index.ts'; globalThis.Tidings = { connect };`),
    script(folder, `import './worker.ts';`),
  ]);
  return { 'tidings.js': page, 'tidings-worker.js': worker };
}

/** Each file by itself: `isolatedDeclarations` keeps its types explicit. */
export async function declarationOf(folder, source) {
  const { default: ts } = await import('typescript');
  const { outputText } = ts.transpileDeclaration(readFileSync(join(root, folder, 'src', source), 'utf8'), {
    fileName: source,
    compilerOptions: {
      target: ts.ScriptTarget.ES2024,
      module: ts.ModuleKind.ESNext,
      isolatedDeclarations: true,
    },
  });
  return outputText.replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'");
}
