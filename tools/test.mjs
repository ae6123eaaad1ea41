// Runs the tests in stages, whatever their outcome, and prints `N passed, N failed`, the sum of all stages, as its last line. The exit
// code is 0 only if nothing failed and every command was completed. A few suites that failed run once more, and count by that.
//   node tools/test.mjs [--all-modes] [arguments]    arguments of Jest: paths, --selectProjects, …; a command without such tests passes
// The distributed mode and the oldest Kafka are left out unless --all-modes, a project or a path is given.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { getPriority, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './packages.mjs';

const jest = 'node_modules/jest/bin/jest.js';

/** Jest cannot interrupt a suite that blocks its process. A multiple of the longest test on a slow machine. */
const HANG_AFTER_MS = Number(process.env.TIDINGS_HANG_AFTER_MS ?? 20 * 60_000);

/** Projects of the second deployment mode, and of the second release of Kafka. */
const ofAllModes = ['clusters', 'distributed', 'oldest-kafka'];

/** A stage has queues, which share the two cores; the commands of a queue run in turn. The next stage does not wait for one that is `besideAll`. */
const stages = [
  [
    [
      { projects: ['embedded'], workers: 1 },
      { projects: ['e2e'], workers: 1 },
      { projects: ['oldest-kafka'], workers: 1 },
    ],
    [
      // With one worker the distributed suites share one system. `nice` lets the suites beside them continue while its processes start.
      { projects: ['distributed'], workers: 1, niceness: 5 },
      // Suites with a store wait half of the time.
      { projects: ['int'], workers: 3 },
    ],
    // They fill the others' waiting times. At a lower priority requests would miss their deadlines.
    [{ projects: ['pure'], workers: 1, niceness: 5, besideAll: true }],
  ],
  // Faults end after a time of the machine, and recovery has a limit: one suite for each core, as half of its time is waiting.
  [[{ projects: ['clusters'], workers: 1 }], [{ projects: ['alone'], workers: 1 }]],
];

function take(args, option) {
  const at = args.findIndex((arg) => arg === option || arg.startsWith(`${option}=`));
  if (at < 0) return { values: undefined, rest: args };
  const [, first] = args[at].split('=');
  const next = args.findIndex((arg, i) => i > at && arg.startsWith('-'));
  const end = next < 0 ? args.length : next;
  const values = [...(first === undefined ? [] : [first]), ...args.slice(at + 1, end)];
  return { values, rest: [...args.slice(0, at), ...args.slice(end)] };
}

const withoutPaths = (args) => (args.includes('--') ? args.slice(0, args.indexOf('--')) : args);

function commandsFor(all) {
  const args = all.filter((arg) => arg !== '--all-modes');
  const leftOut = all.every((arg) => arg.startsWith('-') && arg !== '--all-modes') ? ofAllModes : [];
  const { values: selected, rest: others } = take(args, '--selectProjects');
  const { values: ignored = [], rest } = take(others, '--ignoreProjects');
  const hasWorkers = rest.some((arg) => /^(-i|-w|--runInBand|--maxWorkers)(=|$)/.test(arg));
  const isChosen = (name) => (selected?.includes(name) ?? !leftOut.includes(name)) && !ignored.includes(name);
  const commandOf = ({ projects, workers, niceness = 0, besideAll = false }) => {
    const options = ['--passWithNoTests', ...(hasWorkers ? [] : [`--maxWorkers=${workers}`])];
    const selection = [jest, '--selectProjects', ...projects];
    return {
      args: [...selection, ...options, ...rest],
      again: [...selection, '--maxWorkers=1', ...withoutPaths(rest), '--runTestsByPath', '--'],
      niceness,
      besideAll,
    };
  };
  const commandsIn = (queue) =>
    queue
      .map((one) => ({ ...one, projects: one.projects.filter(isChosen) }))
      .filter(({ projects }) => projects.length > 0)
      .map(commandOf);
  const queuesIn = (stage) => stage.map(commandsIn).filter((queue) => queue.length > 0);
  return stages.map(queuesIn).filter((stage) => stage.length > 0);
}

let stopped = false;
const running = new Set();
// Signals end the commands, and no further stage begins after one.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    stopped = true;
    // A terminal sends Ctrl-C to the whole process group.
    if (signal !== 'SIGINT' || !process.stdin.isTTY) for (const child of running) child.kill(signal);
  });
}

/** Undefined after a signal. */
const run = (args, env = {}, watch = () => () => {}) =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } });
    running.add(child);
    const unwatch = watch(child.pid);
    child.on('close', () => {
      running.delete(child);
      unwatch();
    });
    child.on('error', (error) => {
      console.error(error.message);
      resolve(undefined);
    });
    child.on('exit', (code) => resolve(code ?? undefined));
  });

/** Builds once what suites start as processes. Resolves to the variables that tell them. */
async function built() {
  if (process.env.TIDINGS_BUILT) return {};
  return (await run(['tools/build.mjs'])) === 0 ? { TIDINGS_BUILT: '1' } : {};
}

const noTests = { passed: 0, failed: 0, skipped: 0 };

/** A command without a tally, or failing with a clean one, counts as a failure. */
async function tallyOf(command, env) {
  const folder = mkdtempSync(join(tmpdir(), 'tidings-tally-'));
  const file = join(folder, 'tally.json');
  try {
    const code = await run(command.args, { ...env, TIDINGS_TALLY: file }, (pid) => {
      if (command.niceness > 0) setPriority(pid, Math.min(getPriority() + command.niceness, 19));
      return killWhenHung(pid, file);
    });
    const { failures, ...tally } = readTally(file) ?? { ...noTests, failed: 1 };
    // A second run would miss what a killed one did not run.
    const repeatable = code === undefined ? {} : failures;
    return { ...tally, failed: code === 0 ? tally.failed : Math.max(tally.failed, 1), failures: repeatable };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const repeated = [];
const AGAIN_AT_MOST = 3;

/** A shared machine may stall a suite for seconds: failed ones run once more, alone and at full priority. More than a few are no stall. */
async function tallyWithRepeat(command, env) {
  const first = await tallyOf(command, env);
  const failures = Object.entries(first.failures ?? {});
  if (stopped || failures.length === 0 || failures.length > AGAIN_AT_MOST) return first;
  const paths = failures.map(([path]) => path);
  console.error(`AGAIN: ${paths.join(', ')}`);
  repeated.push(...paths);
  const second = await tallyOf({ ...command, args: [...command.again, ...paths], niceness: 0 }, env);
  const without = (name) => failures.reduce((sum, [, tally]) => sum - tally[name], first[name]);
  return Object.fromEntries(Object.keys(noTests).map((name) => [name, without(name) + second[name]]));
}

/** @returns a function that cancels this */
function killWhenHung(pid, file) {
  const timer = setInterval(() => {
    const since = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
    if (since === undefined || Date.now() - since < HANG_AFTER_MS) return;
    clearInterval(timer);
    console.error(`HUNG: ${readTally(file)?.running.join(', ') || 'no suite runs, and Jest does not end'}`);
    for (const each of [...descendantsOf(pid), pid]) killHard(each);
  }, HANG_AFTER_MS / 20);
  return () => clearInterval(timer);
}

/** Linux only; elsewhere a hanging worker outlives its command. */
function descendantsOf(pid) {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return children === '' ? [] : children.split(' ').flatMap((child) => [...descendantsOf(child), Number(child)]);
  } catch {
    return [];
  }
}

function killHard(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has already ended.
  }
}

function readTally(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    // The command ended before its reporter was called.
    return undefined;
  }
}

const args = process.argv.slice(2);
const chosen = commandsFor(args);
if (
  args.some((arg) =>
    /^(-h|-v|--help|--version|--init|--listTests|--showConfig|--clearCache|--watch|--watchAll)$/.test(arg),
  )
) {
  // Nothing to tally.
  process.exitCode = (await run([jest, ...args])) ?? 1;
} else if (chosen.length === 0) {
  console.error(
    `no such project; there are ${stages
      .flat(2)
      .flatMap(({ projects }) => projects)
      .join(', ')}`,
  );
  process.exitCode = 2;
} else {
  const sum = { ...noTests };
  const env = await built();
  const count = async (queue) => {
    for (const command of queue) {
      const tally = stopped ? { ...noTests, failed: 1 } : await tallyWithRepeat(command, env);
      for (const name of Object.keys(sum)) sum[name] += tally[name];
    }
  };
  const all = [];
  for (const queues of chosen) {
    const counts = queues.map(count);
    all.push(...counts);
    await Promise.all(counts.filter((_, i) => !queues[i].some(({ besideAll }) => besideAll)));
  }
  await Promise.all(all);
  if (sum.skipped > 0) console.log(`${sum.skipped} SKIPPED: this machine has not all that these tests need`);
  if (repeated.length > 0) console.log(`${repeated.length} FAILED AT FIRST: ${repeated.join(', ')}`);
  console.log(`${sum.passed} passed, ${sum.failed} failed`);
  process.exitCode = sum.failed > 0 ? 1 : 0;
}
