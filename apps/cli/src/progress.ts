import { Presets, SingleBar } from 'cli-progress';

/** On standard error, so that output can be piped; only on a terminal. */
export interface Progress {
  set(done: number, total: number): void;
  stop(): void;
}

const RATE = ' | {rate}/s | {eta_formatted} left';

interface ProgressOptions {
  readonly showsRate?: boolean;
}

export function showProgress(label: string, quiet: boolean, { showsRate = false }: ProgressOptions = {}): Progress {
  if (quiet || !process.stderr.isTTY) return { set: () => undefined, stop: () => undefined };
  const bar = new SingleBar(
    {
      format: `${label} {bar} {percentage}% | {value}/{total}${showsRate ? RATE : ''}`,
      stream: process.stderr,
      hideCursor: true,
    },
    Presets.shades_classic,
  );
  let begun: { readonly at: number; readonly done: number } | undefined;
  return {
    set(done, total) {
      if (begun) bar.setTotal(total);
      else bar.start(total, done, { rate: 0 });
      begun ??= { at: performance.now(), done };
      const seconds = (performance.now() - begun.at) / 1_000;
      bar.update(done, { rate: seconds > 0 ? Math.round((done - begun.done) / seconds) : 0 });
    },
    stop: () => void (begun && bar.stop()),
  };
}
