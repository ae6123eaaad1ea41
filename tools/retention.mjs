// Generates the tables of topics and retention in docs/operations.md from the lists of the services.
//   node tools/retention.mjs    prints the tables as JSON, by heading; node must be able to load TypeScript for it
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './packages.mjs';

export const operationsPath = 'docs/operations.md';

const own = fileURLToPath(import.meta.url);
export const asTypeScript = [
  '--experimental-transform-types',
  '--disable-warning=ExperimentalWarning',
  '--conditions=@tidings/source',
];

export function operations() {
  const tables = JSON.parse(execFileSync(process.execPath, [...asTypeScript, own], { cwd: root, encoding: 'utf8' }));
  return Object.entries(tables).reduce(
    (page, [heading, table]) => withTable(page, heading, table),
    readFileSync(join(root, operationsPath), 'utf8'),
  );
}

function withTable(page, heading, table) {
  const at = page.indexOf(`\n${heading}\n`);
  const start = page.indexOf('\n|', at) + 1;
  const [rows] = /^(\|.*\n)+/.exec(page.slice(start)) ?? [];
  if (at < 0 || rows === undefined) throw new Error(`${operationsPath} has no table under "${heading}"`);
  return page.slice(0, start) + table + page.slice(start + rows.length);
}

const tableOf = (head, rows) => {
  const line = (cells) => `| ${cells.join(' | ')} |\n`;
  return [line(head), `${'|---'.repeat(head.length)}|\n`, ...rows.map(line)].join('');
};

async function tables() {
  const at = (path) => import(join(root, path));
  const { topics } = await at('libs/events/src/index.ts');
  const { channels } = await at('libs/kernel/src/index.ts');
  const { inDays } = await at('libs/mongo/src/in-days.ts');
  const { collectionsByDatabase } = await at('apps/platform/src/collections.ts');
  return {
    '## Topics': tableOf(
      ['topic', 'kind', 'partitions', 'retention'],
      topics(channels).map(({ name, kind, partitions, retentionMs }) => [
        `\`${name}\``,
        kind,
        partitions,
        inDays(retentionMs),
      ]),
    ),
    '### Collections': tableOf(
      ['database', 'collections', 'retention'],
      Object.entries(collectionsByDatabase).flatMap(([database, collections]) =>
        [...Map.groupBy(collections, ({ retention }) => retention)].map(([retention, alike]) => [
          database,
          alike.map(({ name }) => `\`${name}\``).join(' '),
          retention,
        ]),
      ),
    ),
  };
}

if (process.argv[1] === own) process.stdout.write(JSON.stringify(await tables()));
