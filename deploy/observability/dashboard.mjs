// Makes dashboards of Grafana out of short descriptions: dashboards/*.mjs.

const SCHEMA_VERSION = 42;
const COLUMNS = 24;
const PANEL_HEIGHT = 8;
const STAT_HEIGHT = 4;
const STATS_PER_LINE = 4;
const PANELS_PER_LINE = 2;

const datasource = { type: 'prometheus', uid: '${datasource}' };

/** In each process of Tidings, whatever its scrape job is called: one of the first, or in gateways the second. */
const EVERY_PROCESS = '{__name__=~"tidings_consumer_incidents_total|tidings_http_pending_requests"}';

/** Stands for the labels that the variables of every dashboard choose. */
const scoped = (expr) => expr.replaceAll('$scope', 'namespace=~"$namespace", job=~"$job"');

const targetsOf = (queries) =>
  queries.map(([legendFormat, expr], index) => ({
    refId: String.fromCharCode('A'.charCodeAt(0) + index),
    datasource,
    editorMode: 'code',
    range: true,
    expr: scoped(expr),
    legendFormat,
  }));

const isStat = ({ alarmAbove }) => alarmAbove !== undefined;

const defaultsOf = ({ unit, alarmAbove, stacked }) => ({
  unit,
  min: 0,
  color: { mode: alarmAbove === undefined ? 'palette-classic' : 'thresholds' },
  ...(alarmAbove === undefined
    ? {
        custom: {
          drawStyle: 'line',
          lineWidth: 1,
          fillOpacity: 10,
          showPoints: 'never',
          spanNulls: false,
          stacking: { mode: stacked ? 'normal' : 'none', group: 'A' },
        },
      }
    : {
        thresholds: {
          mode: 'absolute',
          steps: [
            { color: 'green', value: null },
            { color: 'red', value: alarmAbove },
          ],
        },
      }),
});

const optionsOf = (panel) =>
  isStat(panel)
    ? {
        reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
        colorMode: 'value',
        graphMode: 'area',
        textMode: 'auto',
        justifyMode: 'auto',
        orientation: 'auto',
      }
    : {
        legend: { displayMode: 'list', placement: 'bottom', showLegend: true, calcs: [] },
        tooltip: { mode: 'multi', sort: 'desc' },
      };

const panelOf = (panel, id, gridPos) => ({
  id,
  type: isStat(panel) ? 'stat' : 'timeseries',
  title: panel.title,
  description: panel.description,
  gridPos,
  datasource,
  targets: targetsOf(panel.queries),
  fieldConfig: { defaults: defaultsOf(panel), overrides: [] },
  options: optionsOf(panel),
});

/** Panels from left to right and from top to bottom below the title of their row. */
function panelsOf(rows) {
  const panels = [];
  let y = 0;
  for (const { title, panels: members } of rows) {
    const gridPos = { h: 1, w: COLUMNS, x: 0, y };
    panels.push({ id: panels.length + 1, type: 'row', title, collapsed: false, gridPos, panels: [] });
    y += 1;
    const [h, perLine] = members.every(isStat) ? [STAT_HEIGHT, STATS_PER_LINE] : [PANEL_HEIGHT, PANELS_PER_LINE];
    const w = COLUMNS / perLine;
    for (const [index, panel] of members.entries()) {
      const place = { h, w, x: (index % perLine) * w, y: y + Math.floor(index / perLine) * h };
      panels.push(panelOf(panel, panels.length + 1, place));
    }
    y += Math.ceil(members.length / perLine) * h;
  }
  return panels;
}

/** A variable with the values of a label; all of them unless some are chosen. Series without the label are among all. */
const variable = (name, label, series) => {
  const query = `label_values(${series}, ${name})`;
  return {
    name,
    label,
    type: 'query',
    datasource,
    definition: query,
    query: { query, refId: `variable-${name}` },
    includeAll: true,
    allValue: '.*',
    multi: true,
    current: { text: 'All', value: '$__all' },
    refresh: 2,
    sort: 1,
    hide: 0,
    regex: '',
    options: [],
  };
};

const variablesOf = (variables) => [
  {
    name: 'datasource',
    label: 'Data source',
    type: 'datasource',
    query: 'prometheus',
    refresh: 1,
    hide: 0,
    regex: '',
    options: [],
    current: {},
    includeAll: false,
    multi: false,
  },
  variable('namespace', 'Namespace', EVERY_PROCESS),
  variable('job', 'Job', EVERY_PROCESS.replace('}', ', namespace=~"$namespace"}')),
  ...variables.map(({ name, label, series }) => variable(name, label, scoped(series))),
];

/**
 * A dashboard. Its `rows` have a title and panels, each with `title`, `description`, `unit` of Grafana and `queries`: pairs of a legend and an
 * expression, in which `$scope` stands for the chosen namespaces and jobs. A panel with `alarmAbove` shows the latest value, in red from there on.
 */
export const dashboard = ({ uid, title, description, variables = [], rows }) => ({
  uid,
  title,
  description,
  schemaVersion: SCHEMA_VERSION,
  version: 1,
  tags: ['tidings'],
  editable: true,
  graphTooltip: 1,
  fiscalYearStartMonth: 0,
  weekStart: '',
  timezone: 'browser',
  refresh: '30s',
  time: { from: 'now-6h', to: 'now' },
  timepicker: {},
  annotations: { list: [] },
  links: [
    {
      ...{
        type: 'dashboards',
        title: 'Tidings',
        tags: ['tidings'],
        asDropdown: true,
        icon: 'external link',
        tooltip: '',
      },
      includeVars: true,
      keepTime: true,
      targetBlank: false,
      url: '',
    },
  ],
  templating: { list: variablesOf(variables) },
  panels: panelsOf(rows),
});
