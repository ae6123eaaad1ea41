// Builds a release: npm packages, the chart, a bill of materials, images for two processors, and their signatures.
//   npm run release -- --dry-run             makes what needs no registry and no engine, and prints the other commands
//   npm run release -- --registry ghcr.io/… makes and publishes everything; Docker with buildx, cosign and logins must be there
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { canHaveHelm, helmPrograms } from './helm.mjs';
import { packages, root } from './packages.mjs';
import { releaseFaults, releasePlan } from './release-plan.mjs';

const options = { 'dry-run': { type: 'boolean', default: false }, registry: { type: 'string' } };
const { 'dry-run': isDry, registry = process.env.RELEASE_REGISTRY } = parseArgs({ options }).values;
const textOf = (path) => readFileSync(join(root, path), 'utf8');
const { version } = JSON.parse(textOf('package.json'));
const git = (...words) => spawnSync('git', words, { cwd: root, encoding: 'utf8' }).stdout;

function end(...lines) {
  for (const line of lines) console.error(line);
  process.exit(1);
}

if (!isDry && !registry)
  end('--registry or RELEASE_REGISTRY is missing: where images and the chart go, such as ghcr.io/example');
const faults = releaseFaults({
  version,
  changelog: textOf('CHANGELOG.md'),
  chart: textOf('deploy/helm/tidings/Chart.yaml'),
  dockerfile: textOf('deploy/Dockerfile'),
  status: git('status', '--porcelain'),
});
if (faults.length > 0 && !isDry) end(...faults);
for (const fault of faults) console.log(`not ready: ${fault}`);

const folder = join('dist', 'release', version);
mkdirSync(join(root, folder), { recursive: true });
const published = packages.filter(({ folder: path }) => !JSON.parse(textOf(`${path}/package.json`)).private);
const plan = releasePlan({
  version,
  revision: git('rev-parse', 'HEAD').trim(),
  registry: registry ?? 'REGISTRY',
  apps: readdirSync(join(root, 'apps')).filter((app) => app !== 'demo'),
  packages: published.map(({ folder: path }) => path),
  helm: canHaveHelm() ? (await helmPrograms()).helm : 'helm',
  folder,
});
for (const { what, needs, command, output } of plan) {
  const [program, ...words] = command;
  if (isDry && needs) {
    console.log(`prepared: ${what} (needs ${needs}): ${command.join(' ')}`);
    continue;
  }
  console.log(`making: ${what}`);
  const { status, stdout, error } = spawnSync(program, words, {
    cwd: root,
    stdio: ['ignore', output ? 'pipe' : 'inherit', 'inherit'],
    maxBuffer: 1 << 28,
  });
  if (status !== 0) end(`${what}: ${program} ended with ${error?.code ?? status}; nothing after it was made`);
  if (output) writeFileSync(join(root, output), stdout);
}
console.log(`${isDry ? 'Dry run' : 'Released'}: ${version}, files in ${folder}`);
