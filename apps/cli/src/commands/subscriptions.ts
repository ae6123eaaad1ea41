import type { ReplyOf } from '@tidings/client';
import { Option } from 'commander';
import { table } from '../table.ts';
import type { AddCommands } from './command.ts';

interface CreateOptions {
  readonly event: readonly string[];
  readonly app?: readonly string[];
  readonly platform?: readonly string[];
  readonly account?: string;
  readonly format?: Listed['format'];
}

const DIAL_IN = 'dial-in';

type Listed = ReplyOf<'listSubscriptions'>['subscriptions'][number];

function shownDeferred({
  deferred_events: deferred,
  oldest_deferred_at: oldest,
  dropped_events: dropped,
}: DeferredFields): string {
  const lost = dropped > 0 ? `, ${dropped} dropped` : '';
  return `${deferred}${oldest ? ` since ${oldest}` : ''}${lost}`;
}

type DeferredFields = Pick<Listed, 'deferred_events' | 'oldest_deferred_at' | 'dropped_events'>;

export const addSubscriptions: AddCommands = (program, withSession) => {
  const subscriptions = program.command('subscriptions').description('subscriptions to events of messages and devices');
  subscriptions
    .command('list')
    .description('list them, the oldest first')
    .action(
      withSession(async ({ operator, print }) => {
        const { subscriptions: listed } = await operator().call('listSubscriptions');
        const rows = listed.map(
          ({ id, account, endpoint, enabled, disabled_reason: reason, format, events, ...of }) => [
            ...[
              id,
              account,
              endpoint || DIAL_IN,
              format,
              enabled ? 'enabled' : `disabled${reason ? `: ${reason}` : ''}`,
            ],
            ...[shownDeferred(of), events.join(', ')],
          ],
        );
        print(listed, table(['id', 'account', 'endpoint', 'format', 'state', 'deferred', 'events'], rows));
      }),
    );
  subscriptions
    .command('create')
    .description('subscribe an endpoint, and print the identifier, and the secret of an endpoint by HTTP')
    .argument(
      '<endpoint>',
      `grpc://, grpcs://, http://, https:// or, in the distributed mode, kafka://; ${DIAL_IN}: the subscriber dials in`,
    )
    .requiredOption('--event <name...>', 'events, such as "Push Sent" "Push Opened"')
    .option('--app <code...>', 'only of these applications')
    .option('--platform <name...>', 'only of these platforms, such as IOS')
    .option('--account <id>', 'an account other than the default one')
    .addOption(new Option('--format <name>', 'json: CloudEvents, by HTTP or Kafka').choices(['protobuf', 'json']))
    .action(
      withSession(async ({ operator, print }, endpoint: string, given: CreateOptions) => {
        const { event: events, app: applications, platform: platforms, account, format } = given;
        const created = await operator().call('createSubscription', {
          ...(endpoint !== DIAL_IN && { endpoint }),
          events,
          applications,
          platforms,
          ...(format !== undefined && { format }),
          ...(account !== undefined && { account }),
        });
        print(created, [created.id, ...(created.secret ? [created.secret] : [])].join('\n'));
      }),
    );
  for (const [verb, enabled] of [
    ['enable', true],
    ['disable', false],
  ] as const) {
    subscriptions
      .command(verb)
      .description(enabled ? 'send events from now on' : 'send no more events')
      .argument('<id>', 'identifier, as listed')
      .action(
        withSession(async ({ operator, print }, id: string) => {
          print(await operator().call('changeSubscription', { id, enabled }), `${id} is ${verb}d`);
        }),
      );
  }
  subscriptions
    .command('rotate-secret')
    .description('print a new secret of an endpoint by HTTP; former ones are valid for 24 hours more')
    .argument('<id>', 'identifier, as listed')
    .action(
      withSession(async ({ operator, print }, id: string) => {
        const added = await operator().call('addSubscriptionSecret', { id });
        print(added, added.secret);
      }),
    );
  subscriptions
    .command('delete')
    .description('delete one')
    .argument('<id>', 'identifier, as listed')
    .action(
      withSession(async ({ operator, print }, id: string) => {
        await operator().call('deleteSubscription', { id });
        print({ deleted: id }, `Deleted ${id}`);
      }),
    );
};
