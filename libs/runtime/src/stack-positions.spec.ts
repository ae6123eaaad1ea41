import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

describe('stacks', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'tidings-stacks-'));
    const code = 'export const fail = () => { throw new TypeError("no"); };\n';
    writeFileSync(join(folder, 'mapped.js'), code);
    const map = { version: 3, sources: ['src/fail.ts'], names: [], mappings: 'AAUE' };
    writeFileSync(join(folder, 'mapped.js.map'), JSON.stringify(map));
    writeFileSync(join(folder, 'plain.js'), code);
    writeFileSync(join(folder, 'damaged.js'), code);
    writeFileSync(join(folder, 'damaged.js.map'), 'no map');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const stackOf = (file: string): string[] => {
    const program = `
      import { mapStacksOnDemand } from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, 'stack-positions.ts')))};
      mapStacksOnDemand();
      const { fail } = await import(${JSON.stringify(pathToFileURL(join(folder, file)))});
      try { fail(); } catch (error) { console.log(error.stack); }`;
    return execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' }).split('\n');
  };

  it('have the positions of the sources', () => {
    expect(stackOf('mapped.js').slice(0, 2)).toEqual([
      'TypeError: no',
      `    at fail (${join(folder, 'src/fail.ts')}:11:3)`,
    ]);
  });

  it.each(['plain.js', 'damaged.js'])('have the positions of %s, which has no map', (file) => {
    expect(stackOf(file)[1]).toBe(`    at fail (${pathToFileURL(join(folder, file)).href}:1:35)`);
  });
});
