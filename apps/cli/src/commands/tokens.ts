import { Argument } from 'commander';
import { table } from '../table.ts';
import type { AddCommands } from './command.ts';

interface CreateOptions {
  readonly app?: readonly string[];
  readonly account?: string;
  readonly expires?: string;
}

export const addTokens: AddCommands = (program, withSession) => {
  const tokens = program.command('tokens').description('tokens of backends and apps');
  tokens
    .command('list')
    .description('list valid tokens; their secrets are shown only when they are created')
    .action(
      withSession(async ({ operator, print }) => {
        const { tokens } = await operator().call('listTokens');
        const rows = tokens.map(({ id, account, scope, applications, created_at, expires_at }) => [
          ...[id, account, scope, [applications].flat().join(',')],
          ...[created_at ?? '', expires_at ?? 'never'],
        ]);
        print(tokens, table(['id', 'account', 'scope', 'applications', 'created', 'expires'], rows));
      }),
    );
  tokens
    .command('create')
    .description('create a token, and print its secret')
    .addArgument(new Argument('<scope>', 'api: for backends; device: for apps').choices(['api', 'device']))
    .option('--app <code...>', 'limit it to these applications')
    .option('--account <id>', 'an account other than the default one')
    .option('--expires <date>', 'end of its validity, such as 2027-01-15T12:00:00Z')
    .action(
      withSession(async ({ operator, print }, scope: string, { app, account, expires }: CreateOptions) => {
        const created = await operator().call('createToken', {
          scope,
          applications: app ?? 'all',
          ...(account !== undefined && { account }),
          ...(expires !== undefined && { expires_at: expires }),
        });
        print(created, created.token);
      }),
    );
  tokens
    .command('revoke')
    .description('revoke a token')
    .argument('<id>', 'identifier, as listed')
    .action(
      withSession(async ({ operator, print }, id: string) => {
        await operator().call('deleteToken', { id });
        print({ revoked: id }, `Revoked ${id}`);
      }),
    );
};
