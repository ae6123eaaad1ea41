import { Presets, SingleBar } from 'cli-progress';

/** On standard error, so that output can be piped; only on a terminal. */
export interface Progress {
  set(done: number, total: number): void;
  stop(): void;
}

export function showProgress(label: string, quiet: boolean): Progress {
  if (quiet || !process.stderr.isTTY) return { set: () => undefined, stop: () => undefined };
  const bar = new SingleBar(
    { format: `${label} {bar} {percentage}% | {value}/{total}`, stream: process.stderr, hideCursor: true },
    Presets.shades_classic,
  );
  let started = false;
  return {
    set(done, total) {
      if (started) bar.setTotal(total);
      else bar.start(total, done);
      started = true;
      bar.update(done);
    },
    stop: () => void (started && bar.stop()),
  };
}
