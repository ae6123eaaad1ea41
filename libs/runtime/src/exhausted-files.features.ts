import { closeSync, openSync } from 'node:fs';
import { isAlive, isProcessOf } from '@tidings/coordination';
import { freePort, checkListenable } from './ports.ts';

function exhaust(): number[] {
  const opened: number[] = [];
  try {
    for (;;) opened.push(openSync('/dev/null', 'r'));
  } catch {
    return opened;
  }
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error);
const answered = (ask: () => boolean): boolean | string => {
  try {
    return ask();
  } catch (error) {
    return codeOf(error);
  }
};
const listened = (listening: Promise<unknown>): Promise<string> => listening.then(() => 'free', codeOf);

const answers = async (port: number) => ({
  isAlive: isAlive(process.pid),
  isProcessOf: answered(() => isProcessOf(process.pid, 'exhausted-files')),
  freePort: await listened(freePort()),
  checkListenable: await listened(checkListenable({ variable: 'PORT', port, host: '127.0.0.1' })),
});

const port = await freePort();
const opened = exhaust();
const exhausted = await answers(port);
for (const file of opened) closeSync(file);
process.stdout.write(JSON.stringify({ exhausted, released: await answers(port) }));
