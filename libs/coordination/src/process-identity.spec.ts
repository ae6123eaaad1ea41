import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { hasEnded, identityOf, isThisProcess, ownIdentity } from './process-identity.ts';

const onLinux = process.platform === 'linux' ? it : it.skip;

describe('the identity of a process', () => {
  onLinux('reports whether it has ended, and a process with a reused number', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)']);
    await once(child, 'spawn');
    const identity = identityOf(child.pid!)!;
    expect(identity).toMatchObject({ pid: child.pid });
    expect(hasEnded(identity)).toBe(false);
    expect(hasEnded({ ...identity, startedAt: '1' })).toBe(true);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(hasEnded(identity)).toBe(true);
  });

  onLinux('reports nothing about processes of other containers and machines, for any number', () => {
    const own = ownIdentity()!;
    expect(isThisProcess(own)).toBe(true);
    for (const pid of [1, process.pid, 4_000_000]) {
      const other = { ...own, pid, space: own.space.replace(/pid:.*/, 'pid:[1]'), startedAt: '1' };
      expect(hasEnded(other)).toBe(false);
      expect(isThisProcess(other)).toBe(false);
    }
    expect(hasEnded(undefined)).toBe(false);
  });
});
