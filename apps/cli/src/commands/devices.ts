import { lines } from '../table.ts';
import { Failure } from '../session.ts';
import type { AddCommands } from './command.ts';

const names = ['hwid', 'token', 'user', 'email', 'phone'] as const;

type By = { readonly [Name in (typeof names)[number]]?: string };

export const addDevices: AddCommands = (program, withSession) => {
  const devices = program.command('devices').description('devices of applications');
  devices
    .command('find')
    .description('show the devices that have a hwid, push token, user, e-mail address or phone number')
    .argument('<code>', 'code of the application')
    .option('--hwid <hwid>', 'the device')
    .option('--token <token>', 'its push token')
    .option('--user <id>', 'all devices of a user')
    .option('--email <address>', 'contacts with an e-mail address')
    .option('--phone <number>', 'contacts with a phone number')
    .action(
      withSession(async ({ operator, print }, application: string, by: By) => {
        const given = names.flatMap((name) => (by[name] === undefined ? [] : [[name, by[name]] as const]));
        if (given.length !== 1) throw new Failure('One of --hwid, --token, --user, --email, --phone must be given');
        const found = await operator().call('findDevices', { application, ...Object.fromEntries(given) });
        const shown = found.devices.map((device) =>
          lines({
            hwid: device.hwid,
            user: device.user,
            platform: device.platform,
            'push token': device.token_hash === null ? 'none' : `set at ${device.token_set_at ?? 'an unknown time'}`,
            registered: device.created_at,
            opened: device.opened_at,
            'test device': device.test_device ? 'yes' : 'no',
            inbox: `${device.inbox.entries}, ${device.inbox.new} new`,
            tags: JSON.stringify(device.tags),
            applications: device.registrations.map((each) => each.application).join(','),
          }),
        );
        const more = found.more ? ['There are more devices'] : [];
        print(found, [...shown, ...more].join('\n\n') || 'No device');
      }),
    );
  devices
    .command('count')
    .description('count the devices that match an expression of the segmentation language')
    .argument('<code>', 'code of the application')
    .argument('<expression>')
    .action(
      withSession(async ({ operator, print }, code: string, expression: string) => {
        const count = await operator().call('countDevices', { code, expression });
        const { devices: matching, sampled, share } = count;
        print(count, sampled ? `about ${matching}, from a sample of ${(100 * share).toFixed(1)} %` : String(matching));
      }),
    );
};
