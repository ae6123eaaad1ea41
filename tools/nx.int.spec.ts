import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';

const nx = (...args: string[]): string =>
  execFileSync(process.execPath, ['node_modules/nx/dist/bin/nx.js', ...args], {
    encoding: 'utf8',
    env: { ...process.env, NX_DAEMON: 'false', NX_TUI: 'false' },
  });

const affectedBy = (file: string): string[] =>
  (JSON.parse(nx('show', 'projects', '--affected', '--with-target=test', `--files=${file}`, '--json')) as string[])
    .map((name) => name.replace('@tidings/', ''))
    .sort();

describe('nx affected -t test', () => {
  it('tests a service and its hosts, and not the other services', () => {
    const affected = affectedBy('apps/scheduler/src/scheduler.ts');
    expect(affected).toEqual(expect.arrayContaining(['scheduler', 'platform']));
    expect(affected).not.toContain('registry');
    expect(affected).not.toContain('testing');
  });

  it('tests the direct and indirect importers of a library', () => {
    const affected = affectedBy('libs/audience/src/index.ts');
    expect(affected).toEqual(expect.arrayContaining(['audience', 'registry', 'audience-jobs', 'platform']));
    expect(affected).not.toContain('streaming');
  });

  it('tests everything after a change of the test tools', () => {
    expect(affectedBy('jest.config.mjs')).toEqual(expect.arrayContaining(['kernel', 'statistics', 'simulators']));
  });

  it('tests nothing after a change of a page', () => {
    expect(affectedBy('docs/architecture.md')).toEqual([]);
  });
});
