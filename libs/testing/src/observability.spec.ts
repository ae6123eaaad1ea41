import { describe, expect, it } from '@jest/globals';
import {
  allQueries,
  anchorsOf,
  dashboards,
  documentedMetrics,
  documentedRows,
  type Panel,
  readQuery,
  type Rule,
  rules,
  ruleTests,
  TARGET_LABELS,
} from './observability.ts';

const metrics = new Map([
  ...documentedMetrics('| metric | type'),
  ...documentedMetrics('| metric (distributed mode) | type'),
]);
const HISTOGRAM_PART = /_(bucket|sum|count)$/;
const metricOf = (series: string): string => (metrics.has(series) ? series : series.replace(HISTOGRAM_PART, ''));
const isOwn = (series: string): boolean => series.startsWith('tidings_');
const isCounter = (series: string): boolean =>
  metrics.get(metricOf(series))?.type !== 'gauge' || series === 'process_cpu_seconds_total';

describe('the alert rules', () => {
  const alerts = rules().filter((rule): rule is Rule & { alert: string } => rule.alert !== undefined);
  const names = alerts.map(({ alert }) => alert);
  const rows = documentedRows('| alert | condition').map(([, alert, condition]) => ({
    alert: alert!,
    metrics: readQuery(condition!).series,
  }));

  it('are those of docs/operations/alerts.md, each once', () => {
    expect(names.length).toBeGreaterThan(20);
    expect(names.toSorted()).toEqual(rows.map(({ alert }) => alert).toSorted());
    expect(new Set(names).size).toBe(names.length);
  });

  it('query the metrics that their row names', () => {
    const recorded = new Map(rules().flatMap(({ record, expr }) => (record ? [[record, expr] as const] : [])));
    for (const { alert, expr } of alerts) {
      const whole = [...recorded].reduce((text, [record, source]) => text.replaceAll(record, `(${source})`), expr);
      const queried = [...new Set(readQuery(whole).series.map((series) => metricOf(series)))].toSorted();
      expect([alert, queried]).toEqual([alert, rows.find((row) => row.alert === alert)!.metrics.toSorted()]);
    }
  });

  it.each(alerts)('$alert waits, and states its severity, its cause, and its page', (rule) => {
    const { labels, annotations } = rule;
    expect(rule.for).toMatch(/^[1-9]\d*[mh]$/);
    expect(['critical', 'warning']).toContain(labels?.['severity']);
    expect(Object.keys(annotations ?? {}).toSorted()).toEqual(['description', 'runbook', 'summary']);
    expect(annotations?.['summary']).toMatch(/^.{10,}[^.]$/);
    expect(annotations?.['description']).toMatch(/^.{40,}\.$/);
    const [page, anchor] = annotations!['runbook']!.split('#');
    expect(page).toMatch(/^docs\/operations\/[\w-]+\.md$/);
    expect(anchorsOf(page!)).toContain(anchor);
  });

  it.each(alerts)('$alert shows only labels by which it groups', ({ expr, annotations = {} }) => {
    const shown = [
      ...Object.values(annotations)
        .join(' ')
        .matchAll(/\$labels\.(\w+)/g),
    ].map(([, label]) => label!);
    const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].map(([, labels]) => labels!.split(/,\s*/));
    const recorded = expr.startsWith('tidings:dispatch_outcomes') ? [['namespace', 'channel', 'category']] : [];
    const [kept] = [...recorded, ...grouped];
    expect(shown.filter((label) => !kept!.includes(label))).toEqual([]);
  });

  it.each(names)('%s has a case in which it fires, and one in which it is quiet', (name) => {
    const tests = ruleTests().filter((test) => test.name === name);
    expect(tests).toHaveLength(1);
    const expected = tests[0]!.promql_expr_test.map(({ exp_samples: samples }) => samples.map(({ labels }) => labels));
    expect(expected.filter((firing) => firing.length === 0)).not.toEqual([]);
    const firing = expected.filter((samples) => samples.length > 0).flat();
    expect(firing).not.toEqual([]);
    expect(firing.filter((labels) => !labels.includes(`alertname="${name}"`))).toEqual([]);
  });
});

describe('the dashboards', () => {
  const all = dashboards();
  const panels = all.flatMap(({ title, panels: members }) => members.map((panel) => ({ dashboard: title, ...panel })));
  const charts = panels.filter(({ type }) => type !== 'row');

  it('are four, with a current schema and names of their own', () => {
    expect(all.map(({ file }) => file)).toEqual([
      ...['api.json', 'logs-and-lag.json', 'providers.json', 'send-pipeline.json'],
    ]);
    expect(new Set(all.map(({ uid }) => uid)).size).toBe(4);
    expect(all.filter(({ schemaVersion }) => schemaVersion < 41)).toEqual([]);
  });

  it.each(all)('$title has variables for the data source, the namespace and the jobs', ({ templating }) => {
    expect(templating.list.map(({ name }) => name).slice(0, 3)).toEqual(['datasource', 'namespace', 'job']);
  });

  it.each(all)('$title has no panels that overlap or exceed its width', ({ panels: members }) => {
    const overlaps = (a: Panel, b: Panel): boolean =>
      a.gridPos.x < b.gridPos.x + b.gridPos.w &&
      b.gridPos.x < a.gridPos.x + a.gridPos.w &&
      a.gridPos.y < b.gridPos.y + b.gridPos.h &&
      b.gridPos.y < a.gridPos.y + a.gridPos.h;
    const pairs = members.flatMap((a, index) => members.slice(index + 1).map((b) => [a, b] as const));
    expect(pairs.filter(([a, b]) => overlaps(a, b)).map(([a, b]) => [a.title, b.title])).toEqual([]);
    expect(members.filter(({ gridPos: { x, w } }) => x < 0 || x + w > 24)).toEqual([]);
    expect(new Set(members.map(({ id }) => id)).size).toBe(members.length);
  });

  it.each(charts)('$dashboard: $title has a unit, a description and queries of the chosen jobs', (panel) => {
    expect(panel.fieldConfig?.defaults.unit).toMatch(/^(s|short|cps|reqps|bytes|percentunit)$/);
    expect(panel.description).toMatch(/^.{15,}\.$/);
    expect(panel.targets!.length).toBeGreaterThan(0);
    for (const { expr, legendFormat } of panel.targets!) {
      const [chosen, series] = [expr.match(/\{namespace=~"\$namespace", job=~"\$job"/g), expr.match(/\w+\{/g)];
      expect(chosen).toHaveLength(series!.length);
      const by = /\bby \(([^)]*)\)/.exec(expr)?.[1]?.split(/,\s*/) ?? [];
      const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label!);
      expect(shown.filter((label) => !by.includes(label))).toEqual([]);
    }
  });

  it.each(charts)('$dashboard: $title counts by rates over the interval of the scrape', ({ targets = [] }) => {
    for (const { expr } of targets) {
      const counters = readQuery(expr).series.filter((series) => isOwn(series) && isCounter(series));
      for (const series of counters) {
        const counted = new RegExp(`\\b(?:rate|increase)\\(${series}\\{[^}]*\\}\\[\\$__rate_interval\\]\\)`, 'g');
        expect([series, expr.match(counted)?.length]).toEqual([
          series,
          expr.match(new RegExp(`${series}\\{`, 'g'))!.length,
        ]);
      }
    }
  });

  it('show every metric of docs/operations/monitoring.md', () => {
    const shown = new Set(charts.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => readQuery(expr).series)));
    const named = new Set([...shown].map((series) => metricOf(series)));
    expect([...metrics.keys()].filter((metric) => !named.has(metric))).toEqual([]);
  });
});

describe('queries of alerts and dashboards', () => {
  const queries = allQueries().map(readQuery);

  it('find the labels of targets unchanged, since no metric has one of them', () => {
    const targets = [...TARGET_LABELS, 'pod', 'container', 'endpoint'];
    const hidden = [...metrics].filter(([, { labels }]) => labels.some((label) => targets.includes(label)));
    expect(hidden).toEqual([]);
  });

  it('name documented metrics, and the parts of histograms', () => {
    const series = [...new Set(queries.flatMap((query) => query.series))].filter(isOwn);
    expect(series.length).toBeGreaterThan(50);
    const wrong = series.filter((name) =>
      metrics.has(name)
        ? metrics.get(name)!.type === 'histogram'
        : !HISTOGRAM_PART.test(name) || metrics.get(metricOf(name))?.type !== 'histogram',
    );
    expect(wrong).toEqual([]);
  });

  it('select and group by labels that the metrics have', () => {
    const labelsOf = (series: string): readonly string[] => [
      ...metrics.get(metricOf(series))!.labels,
      ...(series.endsWith('_bucket') ? ['le'] : []),
    ];
    const choosing = queries.flatMap(({ matched }) => matched).filter(({ series }) => isOwn(series));
    expect(choosing.length).toBeGreaterThan(20);
    expect(choosing.filter(({ series, label }) => !labelsOf(series).includes(label))).toEqual([]);
    const grouping = queries.flatMap(({ series, grouped }) =>
      grouped.filter((label) => !series.filter(isOwn).every((name) => labelsOf(name).includes(label))),
    );
    expect(grouping).toEqual([]);
  });

  it('are read with the series, the labels of their selectors, and those of their groups', () => {
    expect(
      readQuery(
        'sum by (le, b) (rate(tidings_x_bucket{namespace=~"$n", a!="process x", b="1"}[5m])) / on (b) process_y',
      ),
    ).toEqual({
      series: ['tidings_x_bucket', 'process_y'],
      matched: [
        { series: 'tidings_x_bucket', label: 'a' },
        { series: 'tidings_x_bucket', label: 'b' },
      ],
      grouped: ['le', 'b'],
    });
  });
});
