// The README of the chart, in the format of helm-docs: descriptions are comments of values.yaml that begin with `# --`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMap, isScalar, parse, parseDocument } from 'yaml';
import { root } from './packages.mjs';

const folder = 'deploy/helm/tidings';
export const chartReadmePath = `${folder}/README.md`;

const textOf = (name) => readFileSync(join(root, folder, name), 'utf8');
const escaped = (text) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');

/** The comment before a key, without what stands apart from it. */
function describedIn(comment = '') {
  const lines = comment.split('\n').map((line) => line.trim());
  const start = lines.findLastIndex((line) => line.startsWith('-- '));
  return start < 0 ? '' : lines.slice(start).join(' ').replace(/^-- /, '');
}

const typeOf = (value) => {
  if (Array.isArray(value)) return 'list';
  if (value !== null && typeof value === 'object') return 'object';
  return { string: 'string', number: 'int', boolean: 'bool' }[typeof value];
};

function* rowsOf(map, path = '', own = undefined) {
  for (const [index, { key, value }] of map.items.entries()) {
    const name = path === '' ? key.value : `${path}.${key.value}`;
    // The comment before the first key of a map is the map's.
    const description = describedIn(key.commentBefore ?? (index === 0 ? own : undefined));
    if (isMap(value) && !value.flow && value.items.length > 0) {
      if (description) yield [name, 'object', '', description];
      yield* rowsOf(value, name, value.commentBefore);
    } else {
      const content = isScalar(value) ? value.value : value.toJSON();
      yield [name, typeOf(content), `\`${JSON.stringify(content)}\``, description];
    }
  }
}

/** @returns by path */
export function chartReadme() {
  const { name, description, version, appVersion, kubeVersion } = parse(textOf('Chart.yaml'));
  const rows = [...rowsOf(parseDocument(textOf('values.yaml')).contents)];
  const text = `# ${name}

${description}. Version ${version}, of Tidings ${appVersion}; Kubernetes \`${kubeVersion}\`.

\`docs/kubernetes.md\` leads from an empty namespace to the first push, and \`ci\` has complete examples. \`npm run generate\` writes this page from \`values.yaml\`.

## Values

| Key | Type | Default | Description |
|-----|------|---------|-------------|
${rows.map((row) => `| ${row.map(escaped).join(' | ')} |`).join('\n')}
`;
  return new Map([[chartReadmePath, text]]);
}
