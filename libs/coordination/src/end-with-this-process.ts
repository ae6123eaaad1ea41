import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';

/**
 * Ends processes when its input ends, which is when this process has ended in any way. An empty line begins the list anew. A line with a slash is the
 * note of a server, whose number another program may have got: the server has the folder of the note among its arguments.
 */
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

/**
 * Kills a process as soon as this one has ended, even by a signal that runs no handler; on Windows nothing does. It takes no CPU time until then.
 * @param which the number of a child, or the path of a JSON file with the current `pid` of a server, whose arguments contain the folder of that file
 * @returns a function that must be called when a child has ended: its number may be assigned again
 */
export function endWithThisProcess(which: number | string): () => void {
  if (process.platform === 'win32') return () => undefined;
  const line = String(which);
  listed.add(line);
  tell();
  return () => {
    if (listed.delete(line)) tell();
  };
}

function tell(): void {
  watchdog ??= start();
  watchdog.stdin?.write(['', ...listed, ''].join('\n'));
  if (listed.size > 0) return;
  watchdog.stdin?.end();
  watchdog = undefined;
}

function start(): ChildProcess {
  // In its own session: a signal to the terminal or the group of this process must not end it.
  const started = spawn('sh', ['-c', WATCHDOG, 'watchdog'], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  // Without it, children end by handlers of `exit` alone.
  started.on('error', () => undefined);
  started.stdin?.on('error', () => undefined);
  started.once('exit', () => {
    if (watchdog === started) watchdog = undefined;
  });
  started.unref();
  (started.stdin as Socket | null)?.unref();
  return started;
}
