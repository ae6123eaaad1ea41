import { lines, table } from '../table.ts';
import type { AddCommands } from './command.ts';

export const addExplain: AddCommands = (program, withSession) => {
  program
    .command('explain')
    .description('explain why a device did or did not get a message')
    .argument('<application>', 'code of the application')
    .argument('<message>', 'code of the message')
    .argument('<hwid>', 'the device')
    .action(
      withSession(async ({ operator, print }, application: string, message: string, hwid: string) => {
        const reply = await operator().call('explain', { application, message, hwid });
        const attempts = reply.attempts.map(({ channel, state, tries, claimed_at, due_at, last_answer }) => [
          ...[channel, state, String(tries), claimed_at, due_at ?? ''],
          last_answer ? `${last_answer.code} ${last_answer.name}` : '',
        ]);
        const outcomes = reply.outcomes.map(({ platform, result, error, at, delivered_at, opened_at }) => [
          ...[String(platform), result, error ? `${error.category}: ${error.code} ${error.name}` : ''],
          ...[at ?? '', delivered_at ?? '', opened_at ?? ''],
        ]);
        const parts = [
          reply.explanation,
          lines({
            answer: reply.answer,
            reason: reply.reason,
            message: reply.message.status,
            released: reply.message.released_at,
          }),
          ...(outcomes.length > 0
            ? [table(['platform', 'result', 'error', 'hour', 'delivered', 'opened'], outcomes)]
            : []),
          ...(attempts.length > 0
            ? [table(['channel', 'state', 'tries', 'claimed', 'due', 'last answer'], attempts)]
            : []),
        ];
        print(reply, parts.join('\n\n'));
      }),
    );
};
