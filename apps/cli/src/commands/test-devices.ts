import { table } from '../table.ts';
import type { AddCommands } from './command.ts';

export const addTestDevices: AddCommands = (program, withSession) => {
  const devices = program.command('test-devices').description('test devices of applications');
  devices
    .command('list')
    .description('list the test devices of an application; a hash is the SHA-256 of a push token')
    .argument('<code>', 'code of the application')
    .action(
      withSession(async ({ operator, print }, application: string) => {
        const { test_devices: found } = await operator().call('listAllTestDevices', { application });
        const rows = found.map(({ token_hash, name, platform, confirmed }) => [
          ...[token_hash, name, String(platform), confirmed ? 'yes' : 'no'],
        ]);
        print(found, table(['hash', 'name', 'platform', 'confirmed'], rows));
      }),
    );
  devices
    .command('confirm')
    .description('send to a test device that was made without a token')
    .argument('<code>', 'code of the application')
    .argument('<hash>', 'as listed')
    .option('--off', 'take the confirmation back')
    .action(
      withSession(
        async ({ operator, print }, application: string, token_hash: string, { off = false }: { off?: boolean }) => {
          const set = await operator().call('confirmTestDevice', { application, token_hash, confirmed: !off });
          print(set, set.confirmed ? `Confirmed ${token_hash}` : `No longer confirmed: ${token_hash}`);
        },
      ),
    );
  devices
    .command('delete')
    .description('delete a test device')
    .argument('<code>', 'code of the application')
    .argument('<hash>', 'as listed')
    .action(
      withSession(async ({ operator, print }, application: string, token_hash: string) => {
        await operator().call('deleteTestDevice', { application, token_hash });
        print({ deleted: token_hash }, `Deleted ${token_hash}`);
      }),
    );
  devices
    .command('token')
    .description('demand a token for the creation of test devices')
    .argument('<code>', 'code of the application')
    .option('--off', 'demand none, the default')
    .action(
      withSession(async ({ operator, print }, code: string, { off = false }: { off?: boolean }) => {
        const set = await operator().call('setTestDeviceAccess', { code, token_required: !off });
        print(set, set.token_required ? 'Test devices need a token' : 'Test devices need no token');
      }),
    );
};
