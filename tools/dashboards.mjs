// Makes a Grafana dashboard of each description in deploy/observability/dashboards.
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root } from './packages.mjs';

export const dashboardsPath = 'deploy/helm/tidings/files/dashboards';

export async function dashboards() {
  const sources = globSync('deploy/observability/dashboards/*.mjs', { cwd: root }).toSorted();
  const entries = sources.map(async (source) => {
    const { default: dashboard } = await import(join(root, source));
    return [`${dashboardsPath}/${basename(source, '.mjs')}.json`, `${JSON.stringify(dashboard, null, 2)}\n`];
  });
  return new Map(await Promise.all(entries));
}
