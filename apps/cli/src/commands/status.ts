import type { ApiClient } from '@tidings/client';
import { readinessOf } from '../readiness.ts';
import { lines } from '../table.ts';
import type { AddCommands } from './command.ts';

export const addStatus: AddCommands = (program, withSession) => {
  program
    .command('status')
    .description('show whether the system is ready and what is open; ends with 1 if it is not ready')
    .action(
      withSession(async ({ client, options, operator, print }) => {
        const { isReady, waitingFor: waiting, notes } = await readinessOf(client);
        const own = options.adminToken === undefined ? undefined : await operated(operator());
        print(
          { url: options.url, ready: isReady, waiting_for: waiting, notes, ...own },
          lines({
            url: options.url,
            ready: isReady ? 'yes' : `no, waiting for ${waiting.join(', ') || 'unknown services'}`,
            ...notes,
            ...(own && shownOperated(own)),
          }),
        );
        if (!isReady) process.exitCode = 1;
      }),
    );
};

async function operated(client: ApiClient) {
  const [{ providers }, { dead_letters: deadLetters, next }, { subscriptions }, settled] = await Promise.all([
    client.call('listProviders'),
    client.call('listDeadLetters', { limit: 500 }),
    client.call('listSubscriptions'),
    client.reply('settled'),
  ]);
  const open = (settled.body as { error?: { message?: string } }).error?.message;
  return {
    providers_in_trouble: providers.flatMap(({ state, credential, last_error: error }) =>
      state === 'open' ? [] : [`${credential} is ${state}${error ? ` (${error.name})` : ''}`],
    ),
    dead_letters: deadLetters.length,
    more_dead_letters: next !== null,
    subscriptions: subscriptions.length,
    open: settled.status === 409 && open ? open.split('\n') : [],
  };
}

const shownOperated = (own: Awaited<ReturnType<typeof operated>>) => ({
  providers: own.providers_in_trouble.join(', ') || 'no trouble',
  'dead letters': own.dead_letters === 0 ? 'none' : `${own.dead_letters}${own.more_dead_letters ? ' or more' : ''}`,
  subscriptions: own.subscriptions,
  'open work': own.open.join(', ') || 'none',
});
