import { thousands, table } from '../table.ts';
import type { ChannelDevice, ChannelPlatform } from './channel-population.ts';
import type { ReplyOf } from '@tidings/client';

type Funnel = ReplyOf<'getDeliveryFunnel'>;

export interface Entry {
  readonly token: string;
  readonly reason: string;
  readonly payload?: string;
}

interface Requests {
  accepted: number;
  refused: number;
}

export interface ChannelFigures {
  readonly channel: string;
  readonly platforms: readonly string[];
  readonly expected: { readonly audience: number; readonly sent: number; readonly errors: number };
  readonly funnel: {
    readonly audience: number;
    readonly sent: number;
    readonly errors: number;
    readonly bounced: number;
  };
  readonly ledger: {
    readonly accepted: number;
    readonly refused: number;
    readonly repeated: number;
    readonly lost: number;
    readonly doubled: number;
    readonly strangers: number;
    readonly garbled: number;
  };
}

function stageCount({ channels }: Funnel, stage: string, codes: ReadonlySet<number>): number {
  return channels
    .flatMap(({ funnel }) => funnel.filter((each) => each.stage === stage))
    .flatMap(({ platforms }) => platforms)
    .filter(({ platform }) => codes.has(platform))
    .reduce((sum, { count }) => sum + Number(count), 0);
}

const bouncedIn = ({ channels }: Funnel): number =>
  channels
    .filter(({ channel }) => channel === 'CHANNEL_EMAIL')
    .flatMap(({ funnel }) => funnel.flatMap(({ pieces }) => pieces))
    .filter(({ category }) => category === 'BOUNCED_HARD')
    .reduce((sum, { count }) => sum + Number(count), 0);

/** A refused recipient counts as sent, and as bounced (R-E18). */
const bounces = ({ channel }: ChannelPlatform): boolean => channel === 'email';

const decoded = (payload: string): string => payload.replaceAll('=\r\n', '').replaceAll('=20', ' ');

function ledgerFigures(devices: readonly ChannelDevice[], entries: readonly Entry[]): ChannelFigures['ledger'] {
  const addressed = new Map(devices.filter((each) => each.isAddressed).map((each) => [each.token, each] as const));
  const requests = new Map<string, Requests>();
  let [strangers, garbled] = [0, 0];
  for (const { token, reason, payload = '' } of entries) {
    const device = addressed.get(token);
    if (!device) {
      strangers++;
      continue;
    }
    const counts = requests.get(token) ?? { accepted: 0, refused: 0 };
    requests.set(token, counts);
    if (reason !== 'accepted') {
      counts.refused++;
      continue;
    }
    counts.accepted++;
    if (!decoded(payload).includes(device.name)) garbled++;
  }
  const all = [...requests.values()];
  const sum = (of: (each: Requests) => number): number => all.reduce((total, each) => total + of(each), 0);
  return {
    accepted: sum(({ accepted }) => Math.min(accepted, 1)),
    refused: sum(({ accepted }) => (accepted === 0 ? 1 : 0)),
    repeated: sum(({ accepted, refused }) => (accepted === 0 ? refused - 1 : refused)),
    doubled: sum(({ accepted }) => Math.max(accepted - 1, 0)),
    lost: addressed.size - requests.size,
    strangers,
    garbled,
  };
}

export function channelFigures(
  devices: readonly ChannelDevice[],
  funnels: readonly Funnel[],
  entriesOf: (provider: string) => readonly Entry[],
): ChannelFigures[] {
  return [...Map.groupBy(devices, ({ platform }) => platform.channel)].map(([channel, own]) => {
    const platforms = [...new Set(own.map(({ platform }) => platform))];
    const codes = new Set(platforms.map(({ code }) => code));
    const count = (stage: string): number => funnels.reduce((sum, funnel) => sum + stageCount(funnel, stage, codes), 0);
    const bounced = channel === 'email' ? funnels.reduce((sum, funnel) => sum + bouncedIn(funnel), 0) : 0;
    const addressed = own.filter(({ isAddressed }) => isAddressed);
    const errors = addressed.filter(({ platform, reaction }) => reaction === 'refuses' && !bounces(platform)).length;
    return {
      channel,
      platforms: platforms.map(({ name }) => name),
      expected: { audience: addressed.length, sent: addressed.length - errors, errors },
      funnel: { audience: count('STAGE_AUDIENCE'), sent: count('STAGE_SENT'), errors: count('STAGE_ERRORS'), bounced },
      ledger: ledgerFigures(own, entriesOf(platforms[0]!.provider ?? channel)),
    };
  });
}

export function faultsInChannel({ channel, expected, funnel, ledger }: ChannelFigures): string[] {
  const { accepted, refused, lost, doubled, strangers, garbled } = ledger;
  const { bounced } = funnel;
  const pairs: readonly (readonly [string, number, number])[] = [
    ['devices in the funnel’s audience', funnel.audience, expected.audience],
    ['devices sent to by the funnel', funnel.sent, expected.sent],
    ['errors in the funnel', funnel.errors, expected.errors],
    ['devices whose provider accepted the message', accepted + bounced, expected.sent],
    ['devices whose provider refused it', refused - bounced, expected.errors],
    ['devices forgotten', lost, 0],
    ['messages sent twice', doubled, 0],
    ['messages to devices outside the audience', strangers, 0],
    ['messages with the text of others', garbled, 0],
  ];
  return pairs
    .filter(([, value, expected]) => value !== expected)
    .map(([what, value, expected]) => `${channel}: ${thousands(value)} ${what}, expected ${thousands(expected)}`);
}

export function channelsTable(figures: readonly ChannelFigures[]): string {
  const rows = figures.map((each) => {
    const { channel, platforms, funnel, ledger } = each;
    const { accepted, refused, repeated, lost, doubled } = ledger;
    const { audience, sent, errors, bounced } = funnel;
    const numbers = [audience, sent, errors, bounced, accepted, refused, repeated, lost, doubled];
    const agrees = faultsInChannel(each).length === 0 ? 'yes' : 'NO';
    return [`${channel.padEnd(9)} ${platforms.join(', ')}`, ...numbers.map(thousands), agrees];
  });
  const funnel = ['audience', 'sent', 'errors', 'bounced'];
  const ledger = ['accepted', 'refused', 'repeated', 'lost', 'doubled'];
  return table(['channel', ...funnel, ...ledger, 'agree'], rows);
}
