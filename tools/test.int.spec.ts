import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const root = join(import.meta.dirname, '..');
const projects = ['pure', 'int', 'oldest-kafka', 'e2e', 'alone', 'clusters', 'embedded', 'distributed'] as const;
type Project = (typeof projects)[number];

const passes = (name: string): string => `it('${name}', () => {});\n`;
const fails = (name: string): string => `it('${name}', () => { throw new Error('as it should'); });\n`;
const breaks = `throw new Error('before any test');\n`;
const hangs = `it('gives Jest no turn', () => { for (;;); });\n`;
const killsJest = (file: string): string => `it('kills what runs it', async () => {
  require('node:fs').writeFileSync(${JSON.stringify(file)}, String(process.pid));
  process.kill(process.ppid, 'SIGKILL');
  await new Promise((resolve) => setTimeout(resolve, 10_000_000));
}, 10_000_000);\n`;

async function ended(pid: number): Promise<void> {
  try {
    for (;;) {
      process.kill(pid, 0);
      await delay(20);
    }
  } catch {
    // It has ended.
  }
}

describe('npm test', () => {
  let folder: string;
  let journal: string;
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'tidings-stages-')));
    journal = join(folder, 'journal');
    await writeFile(journal, '');
    // Suites are CommonJS, whatever a folder above says.
    await writeFile(join(folder, 'package.json'), '{}');
    for (const project of projects) await mkdir(join(folder, project));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const suite = (project: Project, name: string, text: string): Promise<void> => {
    const note = (what: string): string =>
      `require('node:fs').appendFileSync(${JSON.stringify(journal)}, '${what} ${project}/${name}\\n');`;
    return writeFile(
      join(folder, project, `${name}.test.js`),
      `beforeAll(() => { ${note('begin')} }); afterAll(() => { ${note('end')} });\n${text}`,
    );
  };

  const run = (...args: string[]) => runWith({}, ...args);

  const runWith = async (env: NodeJS.ProcessEnv, ...args: string[]) => {
    const config = {
      rootDir: folder,
      projects: projects.map((displayName) => ({
        displayName,
        rootDir: join(folder, displayName),
        testRunner: join(root, 'tools', 'jest', 'runner.mjs'),
        transform: {},
        haste: { enableSymlinks: false },
      })),
      workerIdleMemoryLimit: '256MB',
      // Suites wait for those of later stages, whose commands start slowly on a busy machine.
      testTimeout: 120_000,
      reporters: [join(root, 'tools', 'tally-reporter.mjs')],
    };
    await writeFile(join(folder, 'jest.json'), JSON.stringify(config));
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['tools/test.mjs', `--config=${join(folder, 'jest.json')}`, ...args],
      { cwd: root, encoding: 'utf8', env: { ...process.env, ...env } },
    );
    const lines = stdout.trimEnd().split('\n');
    const tallies = lines.filter((line) => /^\d+ passed, \d+ failed$/.test(line));
    return {
      status,
      stderr,
      lines,
      last: lines.at(-1),
      tallies,
      journal: (await readFile(journal, 'utf8')).trimEnd().split('\n'),
    };
  };

  it('runs queues of projects beside each other, then "alone" and "clusters", pure ones beside all, and prints one sum', async () => {
    const waitingFor = (own: string, other: string): string =>
      `it('waits for the other', async () => {
        const { existsSync, writeFileSync } = require('node:fs');
        writeFileSync(${JSON.stringify(join(folder, own))}, '');
        while (!existsSync(${JSON.stringify(join(folder, other))})) await new Promise((done) => setTimeout(done, 5));
      });\n`;
    await suite('pure', 'a', passes('one') + waitingFor('beside all', 'last'));
    await suite('alone', 'a', waitingFor('last', 'beside all'));
    await suite('clusters', 'a', passes('three'));
    await suite('embedded', 'a', waitingFor('first', 'second'));
    await suite('distributed', 'a', waitingFor('second', 'first'));
    await suite('e2e', 'a', waitingFor('third', 'fourth'));
    await suite('int', 'a', waitingFor('fourth', 'third'));
    await suite('oldest-kafka', 'a', passes('four'));
    const result = await run('--all-modes');
    expect(result).toMatchObject({ status: 0, last: '9 passed, 0 failed', tallies: ['9 passed, 0 failed'] });
    const inStages = result.journal.filter((line) => !line.endsWith(' pure/a'));
    expect(result.journal).toHaveLength(inStages.length + 2);
    const inQueue = (...suites: string[]): void => {
      const lines = inStages.filter((line) => suites.includes(line.split(' ')[1]!));
      expect(lines).toEqual(suites.flatMap((name) => [`begin ${name}`, `end ${name}`]));
    };
    inQueue('embedded/a', 'e2e/a', 'oldest-kafka/a');
    inQueue('distributed/a', 'int/a');
    expect(inStages.slice(-4).toSorted()).toEqual(
      ['alone/a', 'clusters/a'].flatMap((name) => [`begin ${name}`, `end ${name}`]).toSorted(),
    );
  });

  it('leaves the second mode and the second Kafka out without arguments', async () => {
    for (const project of projects) await suite(project, 'a', passes('a'));
    const { status, journal: lines } = await run();
    const begun = lines.filter((line) => line.startsWith('begin')).toSorted();
    expect([status, begun]).toEqual([0, ['alone', 'e2e', 'embedded', 'int', 'pure'].map((name) => `begin ${name}/a`)]);
  });

  it('continues after a failure, and fails', async () => {
    await suite('pure', 'a', fails('one') + passes('two'));
    await suite('int', 'a', breaks);
    await suite('alone', 'a', passes('three'));
    expect(await run()).toMatchObject({ status: 1, last: '2 passed, 2 failed', tallies: ['2 passed, 2 failed'] });
  });

  /** Fails at its first run. */
  const stalls = (name: string): string =>
    `it('${name}', () => {
      const { mkdirSync } = require('node:fs');
      try {
        mkdirSync(${JSON.stringify(join(folder, 'stalled-'))} + '${name}');
      } catch {
        return;
      }
      throw new Error('at first');
    });\n`;

  it('runs failed suites once more by themselves, and counts so', async () => {
    await suite('pure', 'a', stalls('one') + passes('two'));
    await suite('int', 'a', fails('three') + passes('four'));
    await suite('e2e', 'a', passes('five'));
    const result = await run();
    expect(result).toMatchObject({ status: 1, last: '4 passed, 1 failed' });
    expect(result.stderr.match(/^AGAIN: .+a\.test\.js$/gm)).toHaveLength(2);
    expect(result.lines.at(-2)).toMatch(/^2 FAILED AT FIRST: (.+a\.test\.js(, )?){2}$/);
    expect(result.journal.filter((line) => line.startsWith('begin')).toSorted()).toEqual([
      'begin e2e/a',
      'begin int/a',
      'begin int/a',
      'begin pure/a',
      'begin pure/a',
    ]);
  });

  it('does not run many failed suites again', async () => {
    for (const name of ['a', 'b', 'c', 'd']) await suite('pure', name, stalls(name));
    const result = await run();
    expect(result).toMatchObject({ status: 1, last: '0 passed, 4 failed' });
    expect(result.stderr).not.toContain('AGAIN');
  });

  it('counts a command that ended without a tally as a failure, and its worker ends, too', async () => {
    const file = join(folder, 'pid');
    await suite('pure', 'a', passes('one'));
    await suite('alone', 'a', killsJest(file));
    expect(await run()).toMatchObject({ status: 1, last: '1 passed, 1 failed' });
    await ended(Number(await readFile(file, 'utf8')));
  });

  it.each([
    ['a worker of Jest', 'pure'],
    ['Jest itself', 'alone'],
  ] as const)('ends a command that hangs in %s, names the hanging suite, and continues', async (_, project) => {
    await suite(project, 'hangs', hangs);
    await suite('pure', 'a', passes('one'));
    await suite('int', 'a', passes('two'));
    await suite('distributed', 'a', passes('three'));
    const result = await runWith({ TIDINGS_HANG_AFTER_MS: '10000' }, '--all-modes');
    expect(result.stderr).toContain(`HUNG: ${join(folder, project, 'hangs.test.js')}`);
    expect(result).toMatchObject({ status: 1 });
    expect(result.last).toMatch(/^[23] passed, 1 failed$/);
  });

  it.each([
    ['a path', ['alone/b'], ['alone/b']],
    ['a project', ['--selectProjects', 'int', 'distributed'], ['int/a', 'distributed/a']],
    ['a project and a path', ['--selectProjects', 'alone', '--', 'b.test'], ['alone/b']],
    ['all but a project', ['--ignoreProjects', 'alone', 'pure'], ['int/a', 'distributed/a']],
    ['nothing that there is', ['nowhere'], []],
  ] as const)('runs the suites that are selected by %s', async (_, args, expected) => {
    await suite('pure', 'a', passes('a'));
    await suite('int', 'a', passes('a'));
    await suite('alone', 'a', passes('a'));
    await suite('alone', 'b', passes('b'));
    await suite('distributed', 'a', passes('a'));
    const result = await run(...args);
    expect(result).toMatchObject({ status: 0, last: `${expected.length} passed, 0 failed` });
    const begun = result.journal.filter((line) => line.startsWith('begin'));
    expect(begun.toSorted()).toEqual(expected.map((name) => `begin ${name}`).toSorted());
  });

  it('refuses an unknown project', async () => {
    expect(await run('--selectProjects', 'everything')).toMatchObject({ status: 2, tallies: [] });
  });
});
