// Checks the Helm chart with each of its value files: `helm lint --strict`, and every rendered object against the schema of its kind.
//   node tools/chart.mjs                              the check
//   node tools/chart.mjs --can-render                 ends with 0 if helm is there or can be built
//   node tools/chart.mjs --render values [option …]   prints the rendered objects as JSON; values is a name below ci, options are those of helm
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { canHaveHelm, helmPrograms, KUBERNETES_VERSION } from './helm.mjs';
import { SCHEMA_PATTERN, schemaFolder } from './kubernetes-schemas.mjs';
import { root } from './packages.mjs';

const chart = join(root, 'deploy', 'helm', 'tidings');
const SUFFIX = '-values.yaml';
/** helm that is built from the module assumes an old release. */
const release = ['--kube-version', KUBERNETES_VERSION];

async function run(program, args, input = '') {
  const child = spawn(program, args, { cwd: root, stdio: ['pipe', 'pipe', 'pipe'] });
  let [output, errors] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (chunk) => (output += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk) => (errors += chunk));
  child.stdin.end(input);
  const [code] = await once(child, 'close');
  return { code, output, errors };
}

const valuesOf = (name) => ['--values', join(chart, 'ci', `${name}${SUFFIX}`)];

const render = (helm, name, options = []) =>
  run(helm, ['template', 'tidings', chart, '--namespace', 'tidings', ...release, ...valuesOf(name), ...options]);

async function faultsOf(name, { helm, kubeconform, schemas }) {
  const linted = await run(helm, ['lint', '--strict', ...release, ...valuesOf(name), chart]);
  if (linted.code !== 0) return linted.output + linted.errors;
  const rendered = await render(helm, name);
  if (rendered.code !== 0) return rendered.errors;
  const options = ['-strict', '-summary', '-schema-location', join(schemas, SCHEMA_PATTERN)];
  const checked = await run(kubeconform, options, rendered.output);
  const [, count] = /Summary: (\d+) resource/.exec(checked.output) ?? [];
  console.log(`${name}: ${count ?? 'no'} objects`);
  return checked.code === 0 && Number(count) > 0 ? '' : checked.output + checked.errors;
}

async function check() {
  if (!canHaveHelm()) {
    console.log(`SKIPPED, with a warning: Go is missing, which builds helm`);
    return process.env.CI ? 1 : 0;
  }
  const programs = { ...(await helmPrograms()), schemas: await schemaFolder() };
  const names = globSync(`*${SUFFIX}`, { cwd: join(chart, 'ci') }).map((file) => basename(file, SUFFIX));
  const faults = await Promise.all(names.toSorted().map((name) => faultsOf(name, programs)));
  for (const fault of faults.filter(Boolean)) console.error(fault);
  return names.length > 0 && faults.every((fault) => fault === '') ? 0 : 1;
}

/** Ends with helm's message instead. */
async function print([name, ...options]) {
  const { code, output, errors } = await render((await helmPrograms()).helm, name, options);
  if (code === 0) {
    const documents = parseAllDocuments(output).map((document) => document.toJS());
    process.stdout.write(JSON.stringify(documents.filter((object) => object !== null)));
  } else process.stderr.write(errors);
  return code;
}

const tasks = { '--render': print, '--can-render': () => (canHaveHelm() ? 0 : 1) };
const [task, ...args] = process.argv.slice(2);
process.exitCode = await (tasks[task] ?? check)(args);
