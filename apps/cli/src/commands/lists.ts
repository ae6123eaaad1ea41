import { type Command, Option } from 'commander';
import { table } from '../table.ts';
import type { AddCommands } from './command.ts';

interface PageOptions {
  readonly account?: string;
  readonly limit?: string;
  readonly after?: string;
}

interface JobOptions extends PageOptions {
  readonly app?: string;
  readonly method?: string;
}

type Rows = readonly (readonly string[])[];

const pageOf = ({ account, limit, after }: PageOptions) => ({
  ...(account !== undefined && { account }),
  ...(limit !== undefined && { limit }),
  ...(after !== undefined && { after }),
});

const shown = (heading: readonly string[], rows: Rows, next: string | null): string =>
  [table(heading, rows), ...(next === null ? [] : [`There are more: --after ${next}`])].join('\n');

const listOf = (program: Command, name: string, description: string): Command =>
  program
    .command(name)
    .description(description)
    .command('list')
    .description(`list ${description}, newest first`)
    .option('--limit <n>', 'at most so many, up to 500', '100')
    .option('--after <cursor>', 'continue a list');

const ofAccount = (command: Command): Command =>
  command.option('--account <id>', 'an account other than the default one');

export const addLists: AddCommands = (program, withSession) => {
  listOf(program, 'accounts', 'accounts').action(
    withSession(async ({ operator, print }, options: PageOptions) => {
      const { accounts, next } = await operator().call('listAccounts', pageOf(options));
      const rows = accounts.map(({ account, name, created_at: at, email_only: emailOnly }) => [
        ...[account, name, at ?? '', emailOnly ? 'e-mail contacts only' : 'all devices'],
      ]);
      print({ accounts, next }, shown(['account', 'name', 'created', 'plan'], rows, next));
    }),
  );
  ofAccount(listOf(program, 'groups', 'application groups')).action(
    withSession(async ({ operator, print }, options: PageOptions) => {
      const { groups, next } = await operator().call('listGroups', pageOf(options));
      const rows = groups.map(({ code, name, applications, created_at: at }) => [
        ...[code, name, applications.join(','), at ?? ''],
      ]);
      print({ groups, next }, shown(['code', 'name', 'applications', 'created'], rows, next));
    }),
  );
  ofAccount(listOf(program, 'jobs', 'bulk jobs and exports'))
    .option('--app <code>', 'only those of an application')
    .option('--method <name>', 'only those of a method, such as exportSegment')
    .action(
      withSession(async ({ operator, print }, options: JobOptions) => {
        const { app, method } = options;
        const { jobs, next } = await operator().call('listJobs', {
          ...pageOf(options),
          ...(app !== undefined && { application: app }),
          ...(method !== undefined && { kind: method }),
        });
        const rows = jobs.map((job) => [
          ...[job.id, job.kind, job.application ?? '', job.status, `${job.progress} %`],
          ...[job.accepted_at ?? '', job.finished_at ?? '', job.failure ?? ''],
        ]);
        const heading = ['id', 'method', 'application', 'status', 'progress', 'accepted', 'finished', 'failure'];
        print({ jobs, next }, shown(heading, rows, next));
      }),
    );
  ofAccount(listOf(program, 'suppressions', 'blacklisted addresses, or those that complained'))
    .addOption(new Option('--reason <reason>', 'why').choices(['blacklist', 'complaint']).default('blacklist'))
    .action(
      withSession(async ({ operator, print }, options: PageOptions & { readonly reason: string }) => {
        const request = { ...pageOf(options), reason: options.reason };
        const { suppressions, next } = await operator().call('listSuppressions', request);
        const rows = suppressions.map(({ hash, address, blacklisted_at: since, complained_at: complained }) => [
          ...[address ?? '', since ?? '', complained ?? '', hash],
        ]);
        print({ suppressions, next }, shown(['address', 'blacklisted', 'complained', 'hash'], rows, next));
      }),
    );
};
