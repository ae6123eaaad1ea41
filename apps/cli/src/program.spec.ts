import { expect, it } from '@jest/globals';
import { productVersion } from '@tidings/runtime';
import { programOf } from './program.ts';

it('the program prints its version, which is that of the project', async () => {
  const written: string[] = [];
  const program = programOf(() => undefined)
    .exitOverride()
    .configureOutput({ writeOut: (text) => void written.push(text) });
  await expect(program.parseAsync(['--version'], { from: 'user' })).rejects.toMatchObject({ exitCode: 0 });
  expect(written).toEqual([`${productVersion}\n`]);
});
