import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const root = join(import.meta.dirname, '..');
const pages = join('docs', 'behaviour');
/** Generated code repeats the citations of its sources. */
const files = globSync(['{apps,libs,tools,proto,docs}/**/*.{ts,mjs,json,proto,yaml,yml,md}', 'README.md'], {
  cwd: root,
  exclude: (path) => /(^|\/)(node_modules|dist|generated)$/.test(path),
});

const RULE = /\bR-[A-Z]+\d+\b/g;
/** Also across the end of a line within a comment. */
const RANGE = /\bR-([A-Z]+)(\d+) to[\s*/#]+R-\1(\d+)\b/g;
const HEADING = /^#+ (R-[A-Z]+\d+)$/gm;

/** Includes ranges. */
function citedIn(text: string): Set<string> {
  const within = [...text.matchAll(RANGE)].flatMap(([, group, first, last]) =>
    Array.from({ length: Math.max(0, Number(last) - Number(first)) }, (_, i) => `R-${group}${Number(first) + i}`),
  );
  return new Set([...text.matchAll(RULE)].map(([rule]) => rule).concat(within));
}

const headingsIn = (text: string): string[] => [...text.matchAll(HEADING)].map(([, rule]) => rule!);

interface Citations {
  readonly citedBy: ReadonlyMap<string, readonly string[]>;
  readonly cited: ReadonlySet<string>;
  readonly headings: readonly string[];
}

function collect(texts: ReadonlyMap<string, string>): Citations {
  const citedBy = new Map<string, string[]>();
  const cited = new Set<string>();
  const headings: string[] = [];
  for (const [file, text] of texts) {
    const isPage = file.startsWith(pages);
    if (isPage) headings.push(...headingsIn(text));
    for (const rule of citedIn(text)) {
      citedBy.set(rule, [...(citedBy.get(rule) ?? []), file]);
      if (!isPage) cited.add(rule);
    }
  }
  return { citedBy, cited, headings };
}

const unresolved = ({ citedBy, headings }: Citations): string[] => {
  const known = new Set(headings);
  return [...citedBy].flatMap(([rule, files]) => (known.has(rule) ? [] : [`${rule} in ${files.join(', ')}`]));
};

const repeated = ({ headings }: Citations): string[] =>
  headings.filter((rule, index) => headings.indexOf(rule) !== index);

const uncited = ({ cited, headings }: Citations): string[] => headings.filter((rule) => !cited.has(rule));

describe('citations of rules', () => {
  const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')] as const));
  const citations = collect(texts);

  it('are found in code, proto files and documents', () => {
    const suffixes = ['.ts', '.proto', '.md'];
    const citing = new Set([...citations.citedBy.values()].flat());
    for (const suffix of suffixes) expect([...citing].some((file) => file.endsWith(suffix))).toBe(true);
    expect(citations.cited.size).toBeGreaterThan(100);
  });

  it('resolve in docs/behaviour', () => expect(unresolved(citations)).toEqual([]));

  it('have one heading each', () => expect(repeated(citations)).toEqual([]));

  it('exist for every heading', () => expect(uncited(citations)).toEqual([]));

  it('are in pages that docs/behaviour/README.md lists', () => {
    const listed = texts.get(join(pages, 'README.md')) ?? '';
    const unlisted = [...texts.keys()]
      .filter((file) => file.startsWith(pages) && !file.endsWith('README.md'))
      .filter((file) => !listed.includes(`](${relative(pages, file)})`));
    expect(unlisted).toEqual([]);
  });
});

describe('the check of citations', () => {
  const rule = (number: number): string => `R-${'Z'}${number}`;
  const page = join(pages, 'page.md');
  const found = (code: string, text: string): Citations =>
    collect(
      new Map([
        ['code.ts', code],
        [page, text],
      ]),
    );

  it('finds a rule without a heading, and a rule that only a page names', () => {
    const citations = found(`// (${rule(1)})`, `### ${rule(2)}\n\nAs ${rule(3)}.\n`);
    expect(unresolved(citations)).toEqual([`${rule(1)} in code.ts`, `${rule(3)} in ${page}`]);
    expect(uncited(citations)).toEqual([rule(2)]);
  });

  it('finds a duplicate heading', () => {
    expect(repeated(found(`// ${rule(1)}`, `### ${rule(1)}\n\n### ${rule(1)}\n`))).toEqual([rule(1)]);
  });

  it('reads a range as all rules in it, also across lines of a comment', () => {
    expect([...citedIn(`${rule(1)} to\n * ${rule(3)}`)].sort()).toEqual([1, 2, 3].map(rule));
  });
});
