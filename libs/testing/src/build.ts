import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const repository = fileURLToPath(new URL('../../../', import.meta.url));

/** The folder of the built services. */
export const apps = `${repository}apps/`;

/** Where Node keeps the code that it has compiled. */
export const compileCache = `${repository}node_modules/.cache/compiled`;

/** Makes of the sources as they are what `npm run build` makes of them; files that are current are left alone. */
export const buildAll = (): Promise<unknown> =>
  promisify(execFile)(process.execPath, ['tools/build.mjs'], { cwd: repository });
