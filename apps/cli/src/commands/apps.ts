import type { ApiClient } from '@tidings/client';
import { type GivenSettings, settingsRequest } from '../configure/settings-request.ts';
import { Failure } from '../session.ts';
import { lines, table } from '../table.ts';
import { shownSettings } from './shown-settings.ts';
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
    .command('settings')
    .description('show everything that is set for an application and its account; * marks what is not the default')
    .argument('<code>')
    .action(
      withSession(async ({ operator, print }, code: string) => {
        const settings = await operator().call('getApplicationSettings', { code });
        print(settings, shownSettings(settings));
      }),
    );
  apps
    .command('configure')
    .description('configure a platform of an application: its credentials and what the platform needs beside them')
    .argument('<code>')
    .argument('<platform>', 'ios, android, chrome …; without further options, prints its settings')
    .option('--file <file>', 'the key, the certificate or the service account')
    .option('--set <setting...>', 'name=value, or name=@file with the value in a file')
    .action(
      withSession(async ({ backend, print }, application: string, name: string, given: GivenSettings) => {
        const { platforms } = await import('../configure/platform-fields.ts');
        const names = [...platforms().keys()].join(', ');
        const platform = platforms().get(name);
        if (!platform) throw new Failure(`There is no platform '${name}' to configure; there are ${names}`);
        if (!given.file && !given.set) {
          const rows = [...platform.settings].map(([each, { required, description }]) => [
            each,
            required ? 'required' : '',
            description,
          ]);
          return print([...platform.settings.keys()], table(['setting', '', 'meaning'], rows));
        }
        const settings = await settingsRequest(platform, given);
        const request = { application, device_type: platform.code, ...settings };
        const { providers } = await backend().call('configureApplication', request);
        print(providers, `${name} is configured; \`tidings doctor\` checks its credentials`);
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
