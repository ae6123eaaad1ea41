// Checks the alert rules, tests which series make them fire (deploy/observability/alerts), and checks the queries of the dashboards.
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promtool } from './promtool.mjs';
import { root } from './packages.mjs';

const filesOf = (pattern) => globSync(pattern, { cwd: root }).toSorted();

/** promtool checks expressions in rules only. */
function queriesAsRules() {
  const panels = filesOf('deploy/helm/tidings/files/dashboards/*.json').flatMap(
    (path) => JSON.parse(readFileSync(join(root, path), 'utf8')).panels,
  );
  const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  const rules = queries.map((expr, index) => ({
    record: `query:${index}`,
    expr: expr.replaceAll('$__rate_interval', '1m'),
  }));
  // JSON is YAML.
  return JSON.stringify({ groups: [{ name: 'dashboards', rules }] }, null, 2);
}

const folder = mkdtempSync(join(tmpdir(), 'tidings-alerts-'));
try {
  const program = promtool();
  const queries = join(folder, 'queries-of-dashboards.yaml');
  writeFileSync(queries, queriesAsRules());
  const isWell = [
    ['check', 'rules', ...filesOf('deploy/helm/tidings/files/alerts/*.yaml'), queries],
    ['test', 'rules', ...filesOf('deploy/observability/alerts/*.test.yaml')],
  ].every((args) => spawnSync(program, args, { cwd: root, stdio: 'inherit' }).status === 0);
  process.exitCode = isWell ? 0 : 1;
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
