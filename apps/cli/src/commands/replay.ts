import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient, ReplyOf } from '@tidings/client';
import { Argument } from 'commander';
import { showProgress } from '../progress.ts';
import { Failure } from '../session.ts';
import { lines, table } from '../table.ts';
import type { AddCommands } from './command.ts';

type Replay = ReplyOf<'lastReplay'>;

interface ReplayOptions {
  readonly wait: boolean;
  readonly cancel?: boolean;
}

const POLL_MS = 500;
const SHOW = 'status';

const shown = ({ projection, state, started, finished, handled, total, rate, skipped, topics, kept }: Replay): string =>
  [
    lines({
      projection,
      state,
      started,
      finished,
      records: `${handled} of ${total}, ${rate} a second`,
      skipped: skipped === 0 ? undefined : `${skipped} that could not be handled`,
      kept: kept && `figures from before ${kept.before}, which the topics no longer have: of ${kept.messages} messages`,
    }),
    ...(topics.length > 0
      ? [
          table(
            ['topic', 'handled', 'total'],
            topics.map((of) => [of.topic, String(of.handled), String(of.total)]),
          ),
        ]
      : []),
  ].join('\n');

async function untilDone(client: ApiClient, replay: Replay, quiet: boolean): Promise<Replay> {
  const progress = showProgress(`Replaying ${replay.projection}`, quiet);
  try {
    for (let last = replay; ; last = await client.call('lastReplay')) {
      progress.set(last.handled, last.total);
      if (last.state !== 'running' || last.id !== replay.id) return last;
      await delay(POLL_MS);
    }
  } finally {
    progress.stop();
  }
}

async function cancel(client: ApiClient, projection: string): Promise<Replay> {
  const last = await client.call('lastReplay');
  if (last.state !== 'running' || last.projection !== projection)
    throw new Failure(`No replay of ${projection} is running`);
  return client.call('cancelReplay', { id: last.id });
}

export const addReplay: AddCommands = (program, withSession) => {
  program
    .command('replay')
    .description(
      'rebuild a projection from its topics, beside the live one, which answers until the new one takes over',
    )
    .addArgument(
      new Argument('<projection>', `the projection; ${SHOW}: the progress of the last replay`).choices([
        ...['statistics', 'conversions', SHOW],
      ]),
    )
    .option('--no-wait', 'return at once; the replay goes on')
    .option('--cancel', 'cancel the running replay; the live projection stays as it is')
    .action(
      withSession(async ({ operator, options, print }, projection: string, { wait, cancel: ends }: ReplayOptions) => {
        const client = operator();
        if (projection === SHOW) {
          const last = await client.call('lastReplay');
          return print(last, shown(last));
        }
        if (ends) {
          const canceled = await cancel(client, projection);
          return print(canceled, shown(canceled));
        }
        const startedReplay = await client.call('startReplay', { projection });
        const replay = wait ? await untilDone(client, startedReplay, options.json ?? false) : startedReplay;
        print(replay, shown(replay));
      }),
    );
};
