import { setTimeout as delay } from 'node:timers/promises';
import { failureSentence } from '@tidings/channels';
import type { ApiClient, ReplyOf } from '@tidings/client';
import { Failure } from '../session.ts';
import { showProgress } from '../progress.ts';
import { table } from '../table.ts';
import type { AddCommands } from './command.ts';

interface SendOptions {
  readonly title?: string;
  readonly to?: readonly string[];
  readonly user?: readonly string[];
  readonly segment?: string;
  readonly at: string;
  readonly wait?: boolean;
}

type Funnel = ReplyOf<'getDeliveryFunnel'>;

const HIDDEN = 'CODE_NOT_AVAILABLE';
const NOBODY = 'Nobody was addressed: no device of the application matches\n';
const POLL_MS = 500;
const DONE_TIMEOUT_MS = 10 * 60_000;

const count = (channel: Funnel['channels'][number], stage: string): number =>
  Number(channel.funnel.find((each) => each.stage === stage)?.count ?? 0);

const eligible = (channel: Funnel['channels'][number]): number =>
  Number(channel.funnel[0]?.pieces.find(({ kind }) => kind === 'KIND_PASSED')?.count ?? 0);

/** The App Inbox decides nothing if there are other channels. */
const decided = ({ channels }: Funnel): { readonly done: number; readonly total: number } => {
  const sent = channels.filter(({ channel }) => channel !== 'CHANNEL_APP_INBOX');
  const sum = (of: (channel: Funnel['channels'][number]) => number) =>
    sent.reduce((total, each) => total + of(each), 0);
  return { done: sum((each) => count(each, 'STAGE_SENT') + count(each, 'STAGE_ERRORS')), total: sum(eligible) };
};

export function shownFunnel({ funnel_state: state, channels }: Funnel): string {
  if (state !== 'FUNNEL_STATE_READY') return state;
  const stages = [...new Set(channels.flatMap(({ funnel }) => funnel.map(({ stage }) => stage)))];
  const rows = channels.map((channel) => [
    channel.channel.replace('CHANNEL_', ''),
    ...stages.map((stage) => channel.funnel.find((each) => each.stage === stage)?.count ?? ''),
  ]);
  const errors = channels.flatMap(({ funnel }) =>
    funnel.flatMap((stage) =>
      stage.errors.flatMap(({ category, codes }) =>
        codes.map(({ platform, code, name, count }) =>
          `${count} × ${category}: ${code} ${name} (platform ${platform}) ${failureSentence({ category, name })}`.trimEnd(),
        ),
      ),
    ),
  );
  return [table(['channel', ...stages.map((stage) => stage.replace('STAGE_', ''))], rows), ...errors].join('\n');
}

async function untilDecided(client: ApiClient, application: string, code: string, quiet: boolean): Promise<Funnel> {
  const progress = showProgress('Sending', quiet);
  try {
    for (const giveUpAt = performance.now() + DONE_TIMEOUT_MS; performance.now() < giveUpAt; await delay(POLL_MS)) {
      const { items } = await client.call('messagesList', { filters: { application, messages_codes: [code] } });
      const funnel = await client.call('getDeliveryFunnel', { message_code: code });
      const { done, total } = decided(funnel);
      if (total > 0) progress.set(done, total);
      const status = items[0]?.status ?? '';
      if (['FAIL', 'CANCELED'].includes(status) || (status === 'DONE' && done === total)) return funnel;
    }
  } finally {
    progress.stop();
  }
  throw new Failure(
    `Message ${code} is not done after ${DONE_TIMEOUT_MS / 60_000} minutes. \`tidings funnel ${code}\` shows its progress`,
  );
}

export const addSend: AddCommands = (program, withSession) => {
  program
    .command('send')
    .description('send a message to all devices of an application, or to those that are named, and print its code')
    .argument('<application>', 'code of the application')
    .argument('<content>', 'the text')
    .option('--title <text>', 'title of the notification')
    .option('--to <hwid...>', 'only to these devices')
    .option('--user <id...>', 'only to the devices of these users')
    .option('--segment <code>', 'only to the devices of a segment')
    .option('--at <date>', 'the time to send it, such as "2027-01-15 12:00"', 'now')
    .option('--wait', 'wait until every device is decided, and print the funnel')
    .action(
      withSession(async ({ backend, options, print }, application: string, content: string, given: SendOptions) => {
        const { title, to, user, segment, at, wait } = given;
        const notification = {
          content,
          send_date: at,
          ...(title !== undefined && {
            ios_title: title,
            android_header: title,
            chrome_title: title,
            firefox_title: title,
          }),
          ...(to && { devices: to }),
          ...(user && { users: user }),
          ...(segment !== undefined && { filter_code: segment }),
        };
        const client = backend();
        const { Messages, UnknownDevices } = await client.call('createMessage', {
          application,
          notifications: [notification],
        });
        const code = Messages[0]!;
        const unknown = Object.values(UnknownDevices ?? {}).flat();
        if (unknown.length > 0) process.stderr.write(`Unknown devices: ${unknown.join(', ')}\n`);
        if (to !== undefined && unknown.length === new Set(to).size) process.stderr.write(NOBODY);
        else if (code === HIDDEN) {
          process.stderr.write(
            `Messages to fewer than ten devices have no code and no figures, unless debug mode is on: \`tidings apps debug ${application}\`\n`,
          );
        }
        if (!wait || code === HIDDEN) return print({ message: code, unknown }, code);
        const funnel = await untilDecided(client, application, code, options.json ?? false);
        if (decided(funnel).total === 0) process.stderr.write(NOBODY);
        print({ message: code, unknown, funnel }, `${code}\n${shownFunnel(funnel)}`);
      }),
    );
  program
    .command('funnel')
    .description('show what became of the devices that a message was for')
    .argument('<message>', 'code of the message')
    .action(
      withSession(async ({ backend, print }, code: string) => {
        const funnel = await backend().call('getDeliveryFunnel', { message_code: code });
        print(funnel, shownFunnel(funnel));
      }),
    );
};
