import { lines } from '../table.ts';
import type { AddCommands } from './command.ts';

export const addMessages: AddCommands = (program, withSession) => {
  const messages = program.command('messages').description('messages that are going out');
  messages
    .command('stop')
    .description('send nothing more of a message; devices that were not sent to end as errors')
    .argument('<message>', 'code of the message')
    .action(
      withSession(async ({ operator, print }, code: string) => {
        const reply = await operator().call('stopMessage', { code });
        print(reply, lines({ status: reply.status, stopped: reply.stopped_at ?? 'not while it was sent' }));
      }),
    );
};
