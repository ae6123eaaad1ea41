import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { connectionBudget } from './open-files.ts';

describe('the limit of open files', () => {
  it.each([
    [512, 256],
    [1_024, 768],
    [10_255, 9_999],
  ])('allows with %i files %i connections, and warns', (limit, maxConnections) => {
    const budget = connectionBudget(limit);
    expect(budget.maxConnections).toBe(maxConnections);
    expect(budget.warning).toContain(`${limit}, allows ${maxConnections} HTTP connections`);
  });

  it.each([10_256, 1_000_000, Infinity])('is sufficient with %i', (limit) => {
    expect(connectionBudget(limit)).toEqual({ maxConnections: 10_000, warning: undefined });
  });

  it('ends the start if it is too low', () => {
    expect(() => connectionBudget(511)).toThrow('The limit of open files is 511, and 512 are needed: ulimit -n 65536');
  });

  (process.platform === 'linux' ? it : it.skip)(
    'is survived when it is reached: no process counts as dead, and no port as in use',
    async () => {
      const program = fileURLToPath(new URL('./exhausted-files.features.ts', import.meta.url));
      const loader = ['--conditions=@tidings/source', '--import', '@swc-node/register/esm-register'];
      const command = ['-c', 'ulimit -n 200; exec "$0" "$@"', process.execPath, ...loader, program];
      const { stdout } = await promisify(execFile)('sh', command);
      expect(JSON.parse(stdout)).toEqual({
        exhausted: { isAlive: true, isProcessOf: 'EMFILE', freePort: 'EMFILE', checkListenable: 'EMFILE' },
        released: { isAlive: true, isProcessOf: true, freePort: 'free', checkListenable: 'free' },
      });
    },
  );
});
