import { bar, thousands } from './table.ts';

const NAME_WIDTH = 12;

export class Screen {
  readonly #started = performance.now();

  get seconds(): string {
    return ((performance.now() - this.#started) / 1000).toFixed(1);
  }

  say(text: string): void {
    process.stdout.write(`${text}\n`);
  }

  async step(name: string, work: (progress: (done: number, total: number) => void) => Promise<string>): Promise<void> {
    const started = performance.now();
    const label = `  ${name.padEnd(NAME_WIDTH)}`;
    const summary = await work((done, total) => {
      if (process.stdout.isTTY)
        process.stdout.write(`\r${label} ${bar(done, total)}  ${thousands(done)} of ${thousands(total)}\x1b[K`);
    });
    if (process.stdout.isTTY) process.stdout.write('\r\x1b[K');
    this.say(`${label} ${summary}  (${((performance.now() - started) / 1000).toFixed(1)} s)`);
  }
}
