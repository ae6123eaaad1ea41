import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { completionScript, shells } from './completion.ts';
import { programOf } from './program.ts';

const scriptOf = (shell: (typeof shells)[number]): string =>
  completionScript(
    programOf(() => undefined),
    shell,
  );

describe('shell completion', () => {
  it.each([
    ['tidings de', ['devices', 'dead-letters']],
    ['tidings tokens ', ['list', 'create', 'revoke']],
    ['tidings tokens create a', ['api']],
    ['tidings --json send --t', ['--title', '--to']],
  ])('completes %j in bash to %j', (line, expected) => {
    const words = line.split(' ').map((word) => `'${word}'`);
    const script = `${scriptOf('bash')}\nCOMP_WORDS=(${words.join(' ')})\nCOMP_CWORD=${words.length - 1}\n_tidings\necho "\${COMPREPLY[@]}"`;
    expect(execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split(' ')).toEqual(expected);
  });

  it.each(shells)('is printed for %s', (shell) => expect(scriptOf(shell)).toContain('dead-letters'));
});
