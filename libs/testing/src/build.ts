import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const repository = fileURLToPath(new URL('../../../', import.meta.url));

export const apps = `${repository}apps/`;

/** Unless `npm test` has built; up-to-date files stay unchanged. */
export const buildAll = async (): Promise<void> => {
  if (process.env['TIDINGS_BUILT']) return;
  await promisify(execFile)(process.execPath, ['tools/build.mjs'], { cwd: repository });
};
