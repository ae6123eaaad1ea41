import { productVersion } from '@tidings/runtime';
import { Argument, Command, Option } from 'commander';
import { addApps } from './commands/apps.ts';
import type { AddCommands, WithSession } from './commands/command.ts';
import { addData } from './commands/data.ts';
import { addDeadLetters } from './commands/dead-letters.ts';
import { addDevices } from './commands/devices.ts';
import { addDoctor } from './commands/doctor.ts';
import { addEvents } from './commands/events.ts';
import { addExplain } from './commands/explain.ts';
import { addImport } from './commands/import.ts';
import { addMessages } from './commands/messages.ts';
import { addLists } from './commands/lists.ts';
import { addReplay } from './commands/replay.ts';
import { addSend } from './commands/send.ts';
import { addStatus } from './commands/status.ts';
import { addSubscriptions } from './commands/subscriptions.ts';
import { addTap } from './commands/tap.ts';
import { addTestDevices } from './commands/test-devices.ts';
import { addTokens } from './commands/tokens.ts';
import { completionScript, shells } from './completion.ts';
import { Failure, type Session, sessionOf } from './session.ts';

const DEFAULT_URL = 'http://127.0.0.1:8080';

const groups: readonly AddCommands[] = [
  addStatus,
  addTokens,
  addApps,
  addTestDevices,
  addLists,
  addDevices,
  addSend,
  addMessages,
  addExplain,
  addSubscriptions,
  addEvents,
  addTap,
  addImport,
  addReplay,
  addDeadLetters,
  addData,
  addDoctor,
];

const UNREACHABLE: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

const isUnreachable = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && UNREACHABLE.has((error as NodeJS.ErrnoException).code);

const unreachable = (url: string, error: NodeJS.ErrnoException): Failure =>
  new Failure(`No connection (${error.code}): is Tidings running at ${url}? Otherwise set TIDINGS_URL`, {
    cause: error,
  });

/** @param write receives results; messages to the user go to standard error */
export function programOf(write: (text: string) => void): Command {
  const program = new Command('tidings')
    .description('Operates Tidings from the command line.')
    .version(productVersion, '--version', 'print the version of this command line')
    .addOption(new Option('--url <url>', 'address of the gateway').env('TIDINGS_URL').default(DEFAULT_URL))
    .addOption(new Option('--admin-token <token>', 'administrator token').env('TIDINGS_ADMIN_TOKEN'))
    .addOption(new Option('--api-token <token>', 'API token').env('TIDINGS_API_TOKEN'))
    .option('--json', 'print JSON')
    .showHelpAfterError('(--help lists commands and options)');
  const withSession: WithSession = (action) =>
    async function (this: Command, ...parameters) {
      const session: Session = sessionOf(this, write);
      try {
        await action(session, ...parameters);
      } catch (error) {
        throw isUnreachable(error) ? unreachable(session.options.url, error) : error;
      } finally {
        session.client.close();
      }
    };
  for (const add of groups) add(program, withSession, write);
  program
    .command('completion')
    .description('print a script that completes commands in a shell: source <(tidings completion bash)')
    .addArgument(new Argument('<shell>').choices([...shells]))
    .action((shell: (typeof shells)[number]) => write(`${completionScript(program, shell)}\n`));
  return program;
}
