import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const root = join(import.meta.dirname, '..');
const found = (patterns: string[]): string[] =>
  globSync(patterns, { cwd: root, exclude: (path) => /(^|\/)(node_modules|dist|\.venv)$/.test(path) });
const pages = found(['*.md', 'docs/**/*.md', '{apps,libs,bench,deploy,examples}/**/*.md']);

const LINK = /\]\((?!https?:|mailto:|#)([^)#\s]+)(?:#[^)]*)?\)/g;
const ANCHOR = /\]\((?!https?:|mailto:)([^)#\s]*)#([^)\s]+)\)/g;
const NAMED_PAGE = /(?<![\w./-])((?:docs\/[\w/-]+|README|CONTRIBUTING|SECURITY|CHANGELOG)\.md)(?:#([\w-]+))?/g;
/** Names with placeholders or wildcards are no paths. */
const PATH = /`((?:apps|libs|tools|docs|proto|bench|deploy)\/[\w./-]+)`/g;
/** A file without its folder, or with the last ones only. */
const FILE = /`(?!(?:apps|libs|tools|docs|proto|bench|deploy)\/)([\w-][\w./-]*\.ts)`/g;

/** Built files are missing before a build. */
function missingIn(page: string, text: string, exists: (path: string) => boolean): string[] {
  const links = [...text.matchAll(LINK)].map(([, target]) => join(dirname(page), target!));
  const paths = [...text.matchAll(PATH)].map(([, path]) => path!).filter((path) => !/\/dist\//.test(path));
  return [...links, ...paths].filter((path) => !exists(path)).map((path) => `${path} in ${page}`);
}

const unknownIn = (page: string, text: string, files: readonly string[]): string[] =>
  [...text.matchAll(FILE)]
    .map(([, name]) => name!)
    .filter((name) => !files.some((file) => file.endsWith(`/${name}`)))
    .map((name) => `${name} in ${page}`);

/** As GitHub makes them; a comment in a block of code is no heading. */
const anchorsOf = (text: string): ReadonlySet<string> =>
  new Set(
    [...text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
      heading!
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );

const missingAnchorsIn = (page: string, text: string, textOf: (path: string) => string): string[] =>
  [...text.matchAll(ANCHOR)]
    .map(([, target, anchor]) => ({ path: target === '' ? page : join(dirname(page), target!), anchor: anchor! }))
    .filter(({ path, anchor }) => !anchorsOf(textOf(path)).has(anchor))
    .map(({ path, anchor }) => `${path}#${anchor} in ${page}`);

/** The pages and headings that a text which is no page names, and that are missing. */
const missingPagesIn = (file: string, text: string, textOf: (path: string) => string): string[] =>
  [...text.matchAll(NAMED_PAGE)]
    .filter(([, path, anchor]) => textOf(path!) === '' || (anchor && !anchorsOf(textOf(path!)).has(anchor)))
    .map(([name]) => `${name} in ${file}`);

const textOf = (path: string): string => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : '');

describe('links and paths in documents', () => {
  it('have a target', () => {
    expect(pages.length).toBeGreaterThan(50);
    const exists = (path: string): boolean => existsSync(join(root, path));
    expect(pages.flatMap((page) => missingIn(page, readFileSync(join(root, page), 'utf8'), exists))).toEqual([]);
  });

  it('have existing headings as targets', () => {
    expect(pages.flatMap((page) => missingAnchorsIn(page, textOf(page), textOf))).toEqual([]);
  });

  it('name existing files', () => {
    const files = found(['{apps,libs,bench,tools,examples}/**/*.ts']);
    expect(files.length).toBeGreaterThan(1000);
    expect(pages.flatMap((page) => unknownIn(page, readFileSync(join(root, page), 'utf8'), files))).toEqual([]);
  });

  it('are found in links and between backticks', () => {
    const text =
      'See [a](../b.md#c), [d](https://e.example/f), `libs/gone.ts`, `apps/<app>/x` and `apps/x/dist/main.js`.';
    expect(missingIn('docs/page.md', text, () => false)).toEqual([
      'b.md in docs/page.md',
      'libs/gone.ts in docs/page.md',
    ]);
    const anchors = 'See [a](#one-and-two), [b](#three), [c](b.md#r-c1) and [d](b.md#r-c2).';
    const texts: Readonly<Record<string, string>> = {
      'docs/page.md': '## `One` and two\n```\n# Three\n```\n',
      'docs/b.md': '### R-C1\n',
    };
    expect(missingAnchorsIn('docs/page.md', anchors, (path) => texts[path] ?? '')).toEqual([
      'docs/page.md#three in docs/page.md',
      'docs/b.md#r-c2 in docs/page.md',
    ]);
    const names = 'See `b.ts`, `a/b.ts`, `libs/gone.ts`, `<channel>-b.ts` and `ab.ts`.';
    expect(unknownIn('docs/page.md', names, ['libs/a/b.ts'])).toEqual(['ab.ts in docs/page.md']);
  });
});

describe('pages that code, charts and the command line name', () => {
  const files = found([
    '{apps,libs,bench,tools,proto,deploy,examples}/**/*.{ts,mjs,proto,yaml,yml,tpl,json,txt,sh,py}',
    '*.{yml,yaml,mjs,json}',
    'deploy/Dockerfile',
  ]).filter((file) => file !== 'tools/links.spec.ts');

  it('exist with their headings', () => {
    expect(files.length).toBeGreaterThan(1000);
    expect(files.flatMap((file) => missingPagesIn(file, textOf(file), textOf))).toEqual([]);
  });

  it('are found in texts and comments', () => {
    const texts: Readonly<Record<string, string>> = { 'docs/a/b.md': '# One' };
    const text =
      'runbook: docs/a/b.md#one, docs/a/b.md#two, docs/c.md, (see docs/a/b.md) and https://e.example/docs/c.md';
    expect(missingPagesIn('a.ts', text, (path) => texts[path] ?? '')).toEqual([
      'docs/a/b.md#two in a.ts',
      'docs/c.md in a.ts',
    ]);
  });
});

describe('the index of operations', () => {
  it('links to every page', () => {
    const index = textOf('docs/operations/README.md');
    const unlisted = found(['docs/operations/*.md'])
      .map((path) => basename(path))
      .filter((page) => page !== 'README.md' && !index.includes(`](${page}`));
    expect(unlisted).toEqual([]);
  });
});

describe('the index of decisions', () => {
  it('contains each by its number and title', () => {
    const rows = found(['docs/adr/0*.md'])
      .toSorted()
      .map((path) => {
        const [, number, title] = /^# (\d+)\. (.*)$/m.exec(readFileSync(join(root, path), 'utf8'))!;
        return `| ${number!} | [${title!}](${basename(path)}) |`;
      });
    expect(readFileSync(join(root, 'docs/adr/README.md'), 'utf8').match(/^\| \d.*$/gm)).toEqual(rows);
  });
});

describe('the stations of a message in CONTRIBUTING.md', () => {
  it('name one file each, and no file twice', () => {
    const [, section = ''] = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8').split('## The stations of a message');
    const rows = section
      .split('\n## ')[0]!
      .match(/^\|.*\|$/gm)!
      .slice(2);
    const files = rows.map((row) => [...row.matchAll(PATH)].map(([, path]) => path!));
    expect(files.filter((named) => named.length !== 1)).toEqual([]);
    expect(new Set(files.flat()).size).toBe(files.length);
    expect(files.length).toBeGreaterThan(10);
  });
});
