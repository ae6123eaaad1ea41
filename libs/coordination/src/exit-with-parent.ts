import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';

/** Kills its list when its input ends; an empty line clears the list. A line with a slash is a server's note. */
const WATCHDOG = String.raw`
while IFS= read -r line; do
  if [ -n "$line" ]; then set -- "$@" "$line"; else set --; fi
done
for each; do
  case $each in
  */*)
    pid=$(sed -n 's/.*"pid":\([0-9][0-9]*\).*/\1/p' "$each")
    folder=$(dirname "$each")
    if grep -qsF -- "$folder" "/proc/$pid/cmdline" || ps -ww -o args= -p "$pid" | grep -qF -- "$folder"; then
      kill -9 "$pid"
    fi ;;
  *) kill -9 "$each" ;;
  esac
done`;

const listed = new Set<string>();
let watchdog: ChildProcess | undefined;

/** Not on Windows. @param which a pid, or a JSON file with a server's `pid` @returns call it when the child has ended: pids are reused */
export function exitWithParent(which: number | string): () => void {
  if (process.platform === 'win32') return () => undefined;
  const line = String(which);
  listed.add(line);
  notify();
  return () => {
    if (listed.delete(line)) notify();
  };
}

function notify(): void {
  watchdog ??= start();
  watchdog.stdin?.write(['', ...listed, ''].join('\n'));
  if (listed.size > 0) return;
  watchdog.stdin?.end();
  watchdog = undefined;
}

function start(): ChildProcess {
  // In its own session, which Ctrl-C does not reach.
  const started = spawn('sh', ['-c', WATCHDOG, 'watchdog'], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  started.on('error', () => undefined);
  started.stdin?.on('error', () => undefined);
  started.once('exit', () => {
    if (watchdog === started) watchdog = undefined;
  });
  started.unref();
  (started.stdin as Socket | null)?.unref();
  return started;
}
