import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const repository = fileURLToPath(new URL('../../../', import.meta.url));

/** The folder of the built services. */
export const apps = `${repository}apps/`;

/** Builds the current sources like `npm run build`, unless `npm test` has done so; up-to-date files stay unchanged. It takes a second of CPU time. */
export const buildAll = async (): Promise<void> => {
  if (process.env['TIDINGS_BUILT']) return;
  await promisify(execFile)(process.execPath, ['tools/build.mjs'], { cwd: repository });
};
