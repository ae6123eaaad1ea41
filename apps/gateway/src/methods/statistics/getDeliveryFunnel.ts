import type { api, OutputOf } from '@tidings/contract';
import type { FunnelChannel, FunnelCount, FunnelError, FunnelStage, PlatformCount } from '@tidings/rpc';
import type { Context, Handler } from '../../context.ts';
import { rfc3339 } from '../times.ts';
import { applicationsOf } from './message-applications.ts';

type Channel = OutputOf<typeof api.getDeliveryFunnel>['channels'][number];
type Stage = Channel['funnel'][number];
type Kind = Stage['pieces'][number]['kind'];

const platformsOf = (platforms: readonly PlatformCount[]) =>
  platforms
    .filter(({ count }) => count > 0)
    .sort((a, b) => a.platform - b.platform)
    .map(({ platform, count }) => ({ platform, count: String(count) }));

const countOf = (total: FunnelCount | undefined) => ({
  count: String(total?.count ?? 0),
  platforms: platformsOf(total?.platforms ?? []),
});

const errorOf = ({ category, total, codes }: FunnelError) => ({
  category,
  ...countOf(total),
  codes: codes.map(({ platform, code, name, count }) => ({ platform, code, name, count: String(count) })),
});

const stageOf = ({ stage, total, pieces, errors }: FunnelStage): Stage => ({
  stage,
  ...countOf(total),
  pieces: pieces.map((piece) => ({ kind: piece.kind as Kind, category: piece.category, ...countOf(piece.total) })),
  errors: errors.map(errorOf),
});

const channelOf = (given: FunnelChannel): Channel => ({
  channel: given.channel,
  deliveries_form: given.deliveriesForm,
  basic_form_reason: given.basicFormReason,
  confirmed_deliveries: countOf(given.confirmedDeliveries),
  funnel: given.funnel.map(stageOf),
});

async function isTrackingOff(
  codes: readonly string[],
  { applications }: Pick<Context, 'applications'>,
): Promise<boolean> {
  const found = await Promise.all(codes.map((application) => applications.findApplication({ application })));
  return found.some(({ application }) => application?.trackingOff === true);
}

export const getDeliveryFunnel: Handler<
  typeof api.getDeliveryFunnel,
  'access' | 'applications' | 'messages' | 'statistics'
> = async ({ code, platforms }, context, call) => {
  const applications = await applicationsOf(code, context, call);
  const trackingOff = await isTrackingOff(applications, context);
  const funnel = await context.statistics.funnel({ message: code, platforms, trackingOff });
  return {
    funnel_state: funnel.funnelState,
    window_from: rfc3339(funnel.windowFrom),
    window_to: rfc3339(funnel.windowTo),
    channels: funnel.channels.map(channelOf),
  };
};
