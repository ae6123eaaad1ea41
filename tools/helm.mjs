// The programs that check the chart, built once per machine from Go's module proxy, verified by its checksum database. Needs only Node and Go.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const HELM_VERSION = '3.22.0';
const KUBECONFORM_VERSION = '0.8.0';

export const KUBERNETES_VERSION = '1.37.2';

/** The newest Gateway API that Go 1.26 accepts. */
export const schemaModules = {
  kubernetes: `k8s.io/kubernetes@v${KUBERNETES_VERSION}`,
  gatewayApi: 'sigs.k8s.io/gateway-api@v1.6.3',
  keda: 'github.com/kedacore/keda/v2@v2.21.0',
  prometheus: 'github.com/prometheus-operator/prometheus-operator@v0.85.0',
};

/** Outside the repository, so that a fresh checkout finds it. */
export const cache = join(homedir(), '.cache', 'tidings');

const programs = {
  helm: {
    path: join(cache, `helm-${HELM_VERSION}`, 'helm'),
    module: `helm.sh/helm/v3/cmd/helm@v${HELM_VERSION}`,
  },
  kubeconform: {
    path: join(cache, `kubeconform-${KUBECONFORM_VERSION}`, 'kubeconform'),
    module: `github.com/yannh/kubeconform/cmd/kubeconform@v${KUBECONFORM_VERSION}`,
  },
};

const POLL_MS = 250;
const BUILD_TIMEOUT_MS = 60 * 60_000;

const findGo = () => ['go', '/usr/local/go/bin/go'].find((go) => spawnSync(go, ['version']).status === 0);

export const canHaveHelm = () =>
  Object.values(programs).every(({ path }) => existsSync(path)) || findGo() !== undefined;

/** Missing programs are built, in some minutes. */
export async function helmPrograms() {
  for (const program of Object.values(programs)) await builtOnce(program);
  return { helm: programs.helm.path, kubeconform: programs.kubeconform.path };
}

export async function moduleFolder(module) {
  // Only this module is looked up, none beside it.
  const output = await go(['mod', 'download', '-json', module], { GOFLAGS: '-mod=mod' });
  return JSON.parse(output).Dir;
}

async function builtOnce({ path, module }) {
  const folder = dirname(path);
  const lock = `${folder}.lock`;
  const deadline = Date.now() + BUILD_TIMEOUT_MS;
  mkdirSync(cache, { recursive: true });
  while (!existsSync(path)) {
    if (Date.now() > deadline) throw new Error(`${module} is not built after ${BUILD_TIMEOUT_MS} ms`);
    if (!take(lock)) {
      await delay(POLL_MS);
      continue;
    }
    const draft = `${folder}.${process.pid}`;
    try {
      if (existsSync(path)) return;
      // One package at a time, at a low priority: suites run beside it. Without optimization: a fifth less work.
      await go(['install', '-gcflags=all=-N -l', module], { GOBIN: draft, GOFLAGS: '-p=1 -trimpath' });
      // Atomic: other processes may check for the program at the same time.
      renameSync(draft, folder);
    } finally {
      rmSync(draft, { recursive: true, force: true });
      rmSync(lock, { force: true });
    }
  }
}

function take(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    if (!isHeld(lock)) rmSync(lock, { force: true });
    return false;
  }
}

function isHeld(lock) {
  try {
    const pid = Number(readFileSync(lock, 'utf8'));
    // An empty file is being written.
    return pid === 0 || process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function go(args, env) {
  const program = findGo();
  if (!program) throw new Error('Go is missing: it builds helm and kubeconform');
  const child = spawn('nice', ['-n', '5', program, ...args], {
    cwd: cache,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: BUILD_TIMEOUT_MS,
  });
  let [output, errors] = ['', ''];
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (errors += chunk));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`go ${args.join(' ')} ended with ${code}: ${(errors + output).slice(-2000)}`);
  return output;
}
