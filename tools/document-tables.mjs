// Generates the tables of topics, retention, variables and methods in docs/ from the code that they describe.
//   node tools/document-tables.mjs    prints the tables as JSON, by page and heading; node must be able to load TypeScript for it
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './packages.mjs';

const [topicsPage, retentionPage, configurationPage, interfacePage] = [
  'docs/operations/topics.md',
  'docs/operations/retention.md',
  'docs/configuration.md',
  'docs/interface.md',
];
export const tablePages = [topicsPage, retentionPage, configurationPage, interfacePage];

const own = fileURLToPath(import.meta.url);
/** Options of node to load TypeScript, from the sources of the workspace. */
export const asTypeScript = [
  '--experimental-transform-types',
  '--disable-warning=ExperimentalWarning',
  '--conditions=@tidings/source',
];

/** The pages with their tables, by path. */
export function pagesWithTables() {
  const tables = JSON.parse(execFileSync(process.execPath, [...asTypeScript, own], { cwd: root, encoding: 'utf8' }));
  return new Map(
    tablePages.map((path) => [
      path,
      Object.entries(tables[path]).reduce(
        (page, [heading, table]) => withTable(path, page, heading, table),
        readFileSync(join(root, path), 'utf8'),
      ),
    ]),
  );
}

/** Replaces the first table under a heading. */
function withTable(path, page, heading, table) {
  const at = `\n${page}`.indexOf(`\n${heading}\n`);
  const start = page.indexOf('\n|', at) + 1;
  const [rows] = /^(\|.*\n)+/.exec(page.slice(start)) ?? [];
  if (at < 0 || rows === undefined) throw new Error(`${path} has no table under "${heading}"`);
  return page.slice(0, start) + table + page.slice(start + rows.length);
}

const tableOf = (head, rows) => {
  const line = (cells) => `| ${cells.join(' | ')} |\n`;
  return [line(head), `${'|---'.repeat(head.length)}|\n`, ...rows.map(line)].join('');
};

const at = (path) => import(join(root, path));

async function topicTables() {
  const { topics } = await at('libs/events/src/index.ts');
  const { channels } = await at('libs/kernel/src/index.ts');
  const { inDays } = await at('libs/mongo/src/in-days.ts');
  return {
    '# Topics': tableOf(
      ['topic', 'kind', 'partitions', 'retention'],
      topics(channels).map(({ name, kind, partitions, retentionMs }) => [
        `\`${name}\``,
        kind,
        partitions,
        inDays(retentionMs),
      ]),
    ),
  };
}

async function retentionTables() {
  const { collectionsByDatabase } = await at('apps/platform/src/collections.ts');
  return {
    '## Collections': tableOf(
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

async function configurationTables() {
  const { environmentSections, openTelemetryVariables } = await at('libs/runtime/src/environment.ts');
  const { secretVariables } = await at('libs/runtime/src/secret-files.ts');
  const { addressVariable, requiredByAll, services } = await at('libs/runtime/src/services.ts');
  const { z } = await import('zod');
  const names = Object.keys(services);
  const head = ['variable', 'default', 'meaning'];

  const requirement = (variable) => {
    if (requiredByAll.includes(variable)) return '; required by every service';
    const requiring = names.filter((name) => services[name].required.includes(variable));
    if (requiring.length === 0) return '';
    const others = names.filter((name) => !requiring.includes(name));
    return `; required by ${others.length === 1 ? `every service but the ${others[0]}` : `the ${requiring.join(', ')}`}`;
  };
  const defaultOf = (value, unset) => {
    if (value !== undefined && String(value) !== '') return `\`${value}\``;
    return unset ? `unset: ${unset}` : 'unset';
  };
  const rowOf = (variable, schema) => {
    const { default: text = schema.def.defaultValue } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
    const { description, unset } = schema.meta() ?? {};
    if (!description) throw new Error(`${variable} has no description in libs/runtime/src/environment.ts`);
    return [`\`${variable}\``, defaultOf(text, unset) + requirement(variable), description];
  };
  const rowsOf = (shape) => Object.entries(shape).map(([variable, schema]) => rowOf(variable, schema));
  const ofOpenTelemetry = Object.entries(openTelemetryVariables).map(([variable, { unset, description }]) => [
    `\`${variable}\``,
    defaultOf(undefined, unset),
    description,
  ]);
  const callersOf = (service) => names.filter((name) => services[name].peers.includes(service)).join(', ');
  return {
    ...Object.fromEntries(
      Object.entries(environmentSections).map(([section, shape]) => [
        `## ${section}`,
        tableOf(head, [...rowsOf(shape), ...(section === 'Traces' ? ofOpenTelemetry : [])]),
      ]),
    ),
    '## Addresses of services': tableOf(
      ['variable', 'default', 'set it for'],
      names.map((name) => [`\`${addressVariable(name)}\``, `\`${name}:9090\``, callersOf(name)]),
    ),
    '## Secrets as files': tableOf(
      ['variable', 'names a file with the value of'],
      secretVariables.map((name) => [`\`${name}_FILE\``, `\`${name}\``]),
    ),
  };
}

async function interfaceTables() {
  const { groups } = await at('libs/contract/src/index.ts');
  const tokens = {
    api: 'API, in the body',
    device: 'device',
    server: 'API, in the header',
    admin: 'administrator',
    none: 'none',
    optional: 'API or none',
  };
  return {
    '## Status': tableOf(
      ['group', 'method', 'token', 'meaning'],
      Object.entries(groups).flatMap(([group, methods]) =>
        Object.values(methods).map(({ verb, path, scope, description }) => [
          group,
          `\`${verb} ${path}\``,
          tokens[scope],
          description.replaceAll('|', '\\|'),
        ]),
      ),
    ),
  };
}

async function tables() {
  return {
    [topicsPage]: await topicTables(),
    [retentionPage]: await retentionTables(),
    [configurationPage]: await configurationTables(),
    [interfacePage]: await interfaceTables(),
  };
}

if (process.argv[1] === own) process.stdout.write(JSON.stringify(await tables()));
