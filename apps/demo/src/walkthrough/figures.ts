import type { DemoDevice, DemoPlatform } from './demo-population.ts';
import type { ReplyOf } from '@tidings/client';

export interface Figures {
  readonly audience?: number | undefined;
  readonly sent?: number | undefined;
  readonly failed?: number | undefined;
  readonly confirmed?: number | undefined;
  readonly opened?: number | undefined;
}

export type FigureName = keyof Figures;
export const figureNames = ['audience', 'sent', 'failed', 'confirmed', 'opened'] as const satisfies FigureName[];

type Message = ReplyOf<'messagesList'>['items'][number];
type Funnel = ReplyOf<'getDeliveryFunnel'>;

const count = (devices: readonly DemoDevice[], holds: (device: DemoDevice) => boolean): number =>
  devices.filter(holds).length;

export function expected(addressed: readonly DemoDevice[], { code }: DemoPlatform): Figures {
  const devices = addressed.filter(({ platform }) => platform.code === code);
  const reached = devices.filter(({ outcome }) => outcome !== 'dead');
  return {
    audience: devices.length,
    sent: reached.length,
    failed: devices.length - reached.length,
    confirmed: count(reached, (device) => device.reportsDelivery || device.reportsOpen),
    opened: count(reached, (device) => device.reportsOpen),
  };
}

export function ofMetrics(message: Message | undefined, { code }: DemoPlatform): Figures {
  const metrics = message?.push_info?.metrics?.find(({ platform }) => platform === code);
  return {
    sent: metrics?.sends ?? 0,
    failed: metrics?.errors ?? 0,
    confirmed: metrics?.deliveries ?? 0,
    opened: metrics?.opens ?? 0,
  };
}

export function ofFunnel({ channels }: Funnel, { code }: DemoPlatform): Figures {
  const of = (of: { platforms: { platform: number; count: string }[] } | undefined): number =>
    Number(of?.platforms.find(({ platform }) => platform === code)?.count ?? 0);
  const channel = channels.find(({ funnel }) => funnel.some((stage) => of(stage) > 0));
  const stage = (name: string): number => of(channel?.funnel.find((each) => each.stage === name));
  return {
    audience: stage('STAGE_AUDIENCE'),
    sent: stage('STAGE_SENT'),
    failed: stage('STAGE_ERRORS'),
    confirmed: of(channel?.confirmed_deliveries),
    opened: stage('STAGE_OPENED'),
  };
}

export const cappedIn = ({ channels }: Funnel): number =>
  channels
    .flatMap(({ funnel }) => funnel.flatMap(({ pieces }) => pieces))
    .filter(({ category }) => category === 'FREQUENCY_CAPPING')
    .reduce((sum, { count }) => sum + Number(count), 0);

export interface LedgerFigures extends Figures {
  readonly throttled: number;
  readonly duplicates: number;
}

interface Summary {
  readonly byReason: Readonly<Record<string, number>>;
  readonly tokens: number;
  readonly duplicates: number;
}

const deadReasons = ['Unregistered', 'UNREGISTERED', 'Gone'];
const waitReasons = ['TooManyRequests', 'UNAVAILABLE'];

export function ofLedger({ byReason, tokens, duplicates }: Summary): LedgerFigures {
  const sum = (reasons: readonly string[]): number =>
    reasons.reduce((total, reason) => total + (byReason[reason] ?? 0), 0);
  return { sent: tokens, failed: sum(deadReasons), throttled: sum(waitReasons), duplicates };
}

export const disagreements = (witnesses: readonly Figures[]): readonly FigureName[] =>
  figureNames.filter((name) => {
    const values = witnesses.map((witness) => witness[name]).filter((value) => value !== undefined);
    return values.some((value) => value !== values[0]);
  });
