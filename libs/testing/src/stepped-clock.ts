import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { until } from './until.ts';
import { freshFolder, removeFolder } from './world.ts';

/** Loaded before the program: sets its clock as a file says, and writes the shown time beside it. */
const PRELOAD = `
import { readFileSync, writeFileSync } from 'node:fs';
const file = process.env.STEPPED_CLOCK;
const Real = Date;
const now = Real.now;
let ahead = 0;
globalThis.Date = new Proxy(Real, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now() + ahead] : args, newTarget),
  apply: () => new Real(now() + ahead).toString(),
});
Real.now = () => now() + ahead;
setInterval(() => {
  const target = Number(readFileSync(file, 'utf8'));
  if (target === ahead) return;
  ahead = target;
  writeFileSync(file + '.shown', String(ahead));
}, 20).unref();
`;

/** Leaves the monotonic clock, and the machine's, as they are. */
export interface SteppedClock {
  readonly env: Readonly<Record<string, string>>;
  /** Resolves when the process shows it. */
  set(aheadMs: number): Promise<void>;
  close(): Promise<void>;
}

export async function steppedClock(): Promise<SteppedClock> {
  const folder = await freshFolder();
  const [preload, file] = [join(folder, 'clock.mjs'), join(folder, 'ahead')];
  await writeFile(preload, PRELOAD);
  await writeFile(file, '0');
  return {
    env: {
      NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --import ${pathToFileURL(preload).href}`,
      STEPPED_CLOCK: file,
    },
    async set(aheadMs) {
      await writeFile(`${file}.new`, String(aheadMs));
      await rename(`${file}.new`, file);
      await until(async () => (await shownIn(`${file}.shown`)) === aheadMs);
    },
    close: () => removeFolder(folder),
  };
}

const shownIn = async (file: string): Promise<number | undefined> => {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return text === undefined ? undefined : Number(text);
};
