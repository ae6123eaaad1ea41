import type { ApiClient, ReplyOf } from '@tidings/client';
import { Option } from 'commander';
import { showProgress } from '../progress.ts';
import { lines, table } from '../table.ts';
import type { AddCommands } from './command.ts';

interface Selection {
  readonly topic?: string;
  readonly group?: string;
  readonly reason?: string;
}

interface ListOptions extends Selection {
  readonly limit?: string;
  readonly after?: string;
  readonly redriven?: boolean;
}

type Page = ReplyOf<'listDeadLetters'>;
type Redriven = ReplyOf<'redriveDeadLetters'>;

const MAX_PAGE = 500;

const topic = (): Option => new Option('--topic <name>', 'only records of this topic');
const group = (): Option => new Option('--group <name>', 'only records that this consumer group could not handle');
const reason = (): Option =>
  new Option('--reason <reason>', 'only records with this reason').choices(['decode', 'unknown', 'handler']);

const selected = ({ topic, group, reason }: Selection) => ({
  ...(topic !== undefined && { topic }),
  ...(group !== undefined && { group }),
  ...(reason !== undefined && { reason }),
});

const shown = ({ dead_letters: listed, next }: Page): string =>
  listed.length === 0
    ? 'No dead letters'
    : [
        table(
          ['id', 'topic', 'group', 'reason', 'published', 'key', 'error'],
          listed.map((each) => [
            ...[each.id, each.topic, each.group, each.reason, each.published_at, each.key],
            each.error.split('\n')[0] ?? '',
          ]),
        ),
        ...(next === null ? [] : [`There are more: --after ${next}`]),
      ].join('\n');

async function redriveAll(client: ApiClient, selection: Selection, quiet: boolean): Promise<Omit<Redriven, 'next'>> {
  let total = 0;
  for (let after: string | null = ''; after !== null;) {
    const page: Page = await client.call('listDeadLetters', { ...selection, limit: MAX_PAGE, ...(after && { after }) });
    total += page.dead_letters.length;
    after = page.next;
  }
  const progress = showProgress('Redriving', quiet);
  const done = { redriven: 0, stuck: [] as Redriven['stuck'] };
  try {
    for (let after: string | null = ''; after !== null;) {
      const part: Redriven = await client.call('redriveDeadLetters', { ...selection, ...(after && { after }) });
      done.redriven += part.redriven;
      done.stuck.push(...part.stuck);
      after = part.next;
      progress.set(done.redriven + done.stuck.length, Math.max(total, done.redriven + done.stuck.length));
    }
  } finally {
    progress.stop();
  }
  return done;
}

const shownRedriven = ({ redriven, stuck }: Omit<Redriven, 'next'>): string =>
  [`Redriven: ${redriven}`, ...stuck.map(({ id, reason }) => `${id} stays a dead letter: ${reason}`)].join('\n');

export const addDeadLetters: AddCommands = (program, withSession) => {
  const deadLetters = program.command('dead-letters').description('records that a consumer could not handle');
  deadLetters
    .command('list')
    .description('list them, the earliest published first')
    .addOption(topic())
    .addOption(group())
    .addOption(reason())
    .option('--redriven', 'list those that were redriven')
    .option('--limit <n>', 'maximum number, up to 500')
    .option('--after <id>', 'only those after this one')
    .action(
      withSession(async ({ operator, print }, { redriven, limit, after, ...given }: ListOptions) => {
        const page = await operator().call('listDeadLetters', {
          ...selected(given),
          ...(redriven && { state: 'redriven' }),
          ...(limit !== undefined && { limit }),
          ...(after !== undefined && { after }),
        });
        print(page, shown(page));
      }),
    );
  deadLetters
    .command('show')
    .description('show one with its payload')
    .argument('<id>')
    .action(
      withSession(async ({ operator, print }, id: string) => {
        const found = await operator().call('getDeadLetter', { id });
        const { headers, payload, ...fields } = found;
        print(found, lines({ ...fields, headers: JSON.stringify(headers), payload }));
      }),
    );
  program
    .command('redrive')
    .description('publish dead letters to their topics again; repair the cause first')
    .argument('[id...]', 'identifiers; all that the options select if left out')
    .addOption(topic())
    .addOption(group())
    .addOption(reason())
    .action(
      withSession(async ({ operator, options, print }, ids: string[], given: Selection) => {
        const selection = selected(given);
        const done =
          ids.length > 0
            ? await operator().call('redriveDeadLetters', { ...selection, ids })
            : await redriveAll(operator(), selection, options.json ?? false);
        print(done, shownRedriven(done));
        if (done.stuck.length > 0) process.exitCode = 1;
      }),
    );
};
