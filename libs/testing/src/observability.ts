import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const filesOf = (pattern: string): string[] => globSync(pattern, { cwd: root }).toSorted();
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

export interface Rule {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export const rules = (): Rule[] =>
  filesOf('deploy/helm/tidings/files/alerts/*.yaml').flatMap((path) =>
    (parse(textOf(path)) as { groups: { rules: Rule[] }[] }).groups.flatMap((group) => group.rules),
  );

export interface RuleTest {
  readonly name: string;
  readonly promql_expr_test: readonly { readonly expr: string; readonly exp_samples: readonly { labels: string }[] }[];
}

export const ruleTests = (): RuleTest[] =>
  filesOf('deploy/observability/alerts/*.test.yaml').flatMap(
    (path) => (parse(textOf(path)) as { tests: RuleTest[] }).tests,
  );

export interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly fieldConfig?: { readonly defaults: { readonly unit?: string } };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

export interface Dashboard {
  readonly file: string;
  readonly uid: string;
  readonly title: string;
  readonly schemaVersion: number;
  readonly templating: { readonly list: readonly { readonly name: string; readonly definition?: string }[] };
  readonly panels: readonly Panel[];
}

export const dashboards = (): Dashboard[] =>
  filesOf('deploy/helm/tidings/files/dashboards/*.json').map((path) => ({
    file: basename(path),
    ...(JSON.parse(textOf(path)) as Omit<Dashboard, 'file'>),
  }));

export const allQueries = (): string[] => [
  ...rules().map(({ expr }) => expr),
  ...dashboards().flatMap(({ panels, templating }) => [
    ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
    ...templating.list.flatMap(({ definition }) => definition ?? []),
  ]),
];

/** A scrape adds these. */
export const TARGET_LABELS: readonly string[] = ['namespace', 'job', 'instance'];

export interface Query {
  /** Includes the parts of histograms. */
  readonly series: readonly string[];
  /** Without the labels of a scrape. */
  readonly matched: readonly { readonly series: string; readonly label: string }[];
  /** Without the labels of a scrape. */
  readonly grouped: readonly string[];
}

const SERIES = /\b((?:tidings|nodejs|process)_\w+)(?:\{([^}]*)\})?/g;
const GROUPING = /\b(?:by|on|without|ignoring|group_left|group_right)\s*\(([^)]*)\)/g;
const isOwn = (label: string): boolean => label !== '' && label !== '__name__' && !TARGET_LABELS.includes(label);

export function readQuery(expr: string): Query {
  const selectors = [...expr.matchAll(SERIES)];
  return {
    series: [...new Set(selectors.map(([, name]) => name!))],
    matched: selectors.flatMap(([, series, matchers = '']) =>
      [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)]
        .map(([, label]) => label!)
        .filter(isOwn)
        .map((label) => ({ series: series!, label })),
    ),
    grouped: [
      ...new Set([...expr.matchAll(GROUPING)].flatMap(([, labels]) => labels!.split(',').map((label) => label.trim()))),
    ].filter(isOwn),
  };
}

export const operationsText = (): string => filesOf('docs/operations/*.md').map(textOf).join('\n');

/** Without backticks. */
export function documentedRows(start: string): string[][] {
  const pages = operationsText();
  const table = pages.slice(pages.indexOf(start)).split('\n\n', 1)[0]!;
  const rows = table.split('\n').slice(2);
  return rows.map((row) => row.split('|').map((cell) => cell.trim().replaceAll('`', '')));
}

export interface DocumentedMetric {
  readonly type: string;
  readonly labels: readonly string[];
}

export const documentedMetrics = (start: '| metric | type' | '| metric (distributed mode) | type') =>
  new Map<string, DocumentedMetric>(
    documentedRows(start).map(([, name, type, labels]) => [
      name!,
      { type: type!, labels: labels === '–' ? [] : labels!.split(', ') },
    ]),
  );

export const anchorsOf = (path: string): string[] =>
  [...textOf(path).matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  );
