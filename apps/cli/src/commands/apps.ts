import type { ApiClient } from '@tidings/client';
import { lines, table } from '../table.ts';
import type { AddCommands } from './command.ts';

async function everyApplication(client: ApiClient): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (let page = 1; ; page++) {
    const { applications, total = 1 } = await client.call('getApplications', { page });
    Object.assign(found, applications);
    if (page >= total) return found;
  }
}

export const addApps: AddCommands = (program, withSession) => {
  const apps = program.command('apps').description('applications');
  apps
    .command('list')
    .description('list the applications of the API token')
    .action(
      withSession(async ({ backend, print }) => {
        const found = await everyApplication(backend());
        print(found, table(['code', 'title'], Object.entries(found)));
      }),
    );
  apps
    .command('create')
    .description('create an application, and print its code')
    .argument('<title>')
    .action(
      withSession(async ({ backend, print }, title: string) => {
        const created = await backend().call('createApplication', { title });
        print(created, created.application);
      }),
    );
  apps
    .command('show')
    .description('show an application, and the platforms that are configured')
    .argument('<code>')
    .action(
      withSession(async ({ backend, print }, application: string) => {
        const { application: shown } = await backend().call('getApplication', { application });
        const configured = Object.entries(shown.providers).flatMap(([name, is]) => (is ? [name] : []));
        const languages = Object.keys(shown.languages).join(', ');
        print(shown, lines({ title: shown.title, configured: configured.join(', ') || 'none', languages }));
      }),
    );
  apps
    .command('delete')
    .description('delete an application with all of its devices')
    .argument('<code>')
    .action(
      withSession(async ({ backend, print }, application: string) => {
        await backend().call('deleteApplication', { application });
        print({ deleted: application }, `Deleted ${application}`);
      }),
    );
  apps
    .command('inbox')
    .description('demand the device token for inboxes')
    .argument('<code>')
    .option('--off', 'serve them without a token, the default')
    .action(
      withSession(async ({ operator, print }, code: string, { off = false }: { off?: boolean }) => {
        const set = await operator().call('setInboxAccess', { code, token_required: !off });
        print(set, set.token_required ? 'Inboxes need the device token' : 'Inboxes need no token');
      }),
    );
  apps
    .command('debug')
    .description('turn on debug mode for an hour: messages to a few devices are kept in the history')
    .argument('<code>')
    .option('--off', 'turn it off')
    .action(
      withSession(async ({ operator, print }, code: string, { off = false }: { off?: boolean }) => {
        const { debug_until: until } = await operator().call('setDebug', { code, on: !off });
        print({ debug_until: until }, until === null ? 'Debug mode is off' : `Debug mode is on until ${until}`);
      }),
    );
};
