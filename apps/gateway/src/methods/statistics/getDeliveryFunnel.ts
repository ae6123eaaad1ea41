import type { api, OutputOf } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import type { FunnelChannel, FunnelCount, FunnelError, FunnelStage, PlatformCount } from '@tidings/rpc';
import type { Call, Context, Handler } from '../../context.ts';
import { rfc3339 } from '../times.ts';

type Channel = OutputOf<typeof api.getDeliveryFunnel>['channels'][number];
type Stage = Channel['funnel'][number];
type Kind = Stage['pieces'][number]['kind'];

/** Counts are decimal strings on the wire; zeros are left out, platforms ascend (R-H9). */
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

/** A message that the caller may not see answers like one that does not exist (R-T7, R-H7). */
async function visible(code: string, { messages, access }: Context, { account, presented }: Call): Promise<boolean> {
  const { message } = await messages.find({ account, code });
  if (!message?.message || message.message.hidden || !presented) return false;
  const { token, secret } = presented;
  for (const application of message.message.applications) {
    if ((await access.standing(token, secret, application)).kind === 'granted') return true;
  }
  return false;
}

export const getDeliveryFunnel: Handler<typeof api.getDeliveryFunnel> = async ({ code, platforms }, context, call) => {
  if (!(await visible(code, context, call))) throw Fault.notFound('message not found');
  const funnel = await context.statistics.funnel({ message: code, platforms });
  return {
    funnel_state: funnel.funnelState,
    window_from: rfc3339(funnel.windowFrom),
    window_to: rfc3339(funnel.windowTo),
    channels: funnel.channels.map(channelOf),
  };
};
