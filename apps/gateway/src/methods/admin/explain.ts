import type { api, OutputOf } from '@tidings/contract';
import { chunkOf, Fault, positionOf } from '@tidings/kernel';
import type { DeviceAttempt, DeviceOutcome, MessageView, PlannedDevice, PlansOfDeviceReply } from '@tidings/rpc';
import type { Context, Handler } from '../../context.ts';
import { rfc3339 } from '../times.ts';
import { explanationOf, plannedOutcomes } from './explanation.ts';

type Reply = OutputOf<typeof api.explain>;

const hour = (hours: number | undefined): string | null =>
  hours === undefined ? null : rfc3339(new Date(hours * 3_600_000));
const plain = (answer: { category: string; code: string; name: string } | undefined) =>
  answer ? { category: answer.category, code: answer.code, name: answer.name } : null;

function resultOf({ excluded, sentHour, error }: DeviceOutcome): Reply['outcomes'][number]['result'] {
  if (excluded !== '') return 'EXCLUDED';
  if (sentHour !== undefined) return 'SENT';
  return error ? 'FAILED' : 'IN_FLIGHT';
}

const outcomeOf = (outcome: DeviceOutcome): Reply['outcomes'][number] => ({
  platform: outcome.platform,
  audience: outcome.excluded || 'ELIGIBLE_AUDIENCE',
  result: resultOf(outcome),
  error: plain(outcome.error),
  at: hour(outcome.sentHour ?? outcome.error?.hour),
  displayable: outcome.sentHour === undefined ? null : outcome.displayable,
  delivered_at: hour(outcome.confirmed?.hour),
  opened_at: hour(outcome.opened?.hour),
  bounce: outcome.bounce || null,
  delivered_in_window: outcome.confirmed?.inWindow ?? false,
  opened_in_window: outcome.opened?.inWindow ?? false,
});

const planOf = ({ bucket, at, platform, excluded, ...place }: PlannedDevice): Reply['plans'][number] => ({
  bucket,
  decided_at: rfc3339(at ?? new Date(0)),
  platform,
  excluded: excluded || null,
  failure: plain(place.failure),
  slice: place.slice ? { variant: place.slice.variant, number: place.slice.number } : null,
  inbox_only: place.inboxOnly,
  inbox_until: rfc3339(place.inboxUntil),
});

const attemptOf = (attempt: DeviceAttempt): Reply['attempts'][number] => ({
  bucket: attempt.slice?.bucket ?? 0,
  channel: attempt.channel,
  state: attempt.state as Reply['attempts'][number]['state'],
  claims: attempt.rounds,
  claimed_at: rfc3339(attempt.claimedAt ?? new Date(0)),
  settled_at: rfc3339(attempt.settledAt),
  result: plain(attempt.result),
  tries: attempt.progress?.tries ?? 0,
  first_tried_at: rfc3339(attempt.progress?.firstTriedAt),
  due_at: rfc3339(attempt.progress?.dueAt),
  last_answer: plain(attempt.progress?.last),
  outcome_unknown: attempt.progress?.outcomeUnknown ?? false,
});

const messageOf = ({ code, status, releasedAt, message }: MessageView): Reply['message'] => ({
  code,
  status,
  hidden: message?.hidden ?? false,
  applications: message?.applications.length ?? 0,
  send_date: rfc3339(message?.sendAt),
  released_at: rfc3339(releasedAt),
});

async function traceOf(
  { attempts, statistics }: Pick<Context, 'attempts' | 'statistics'>,
  of: { readonly message: string; readonly application: string; readonly seq: number },
  { plans }: PlansOfDeviceReply,
): Promise<{ readonly attempts: readonly DeviceAttempt[]; readonly outcomes: readonly DeviceOutcome[] }> {
  const { message, application, seq } = of;
  const place = { message, application, chunk: chunkOf(seq), position: positionOf(seq) };
  const slices = plans.flatMap(({ bucket, platform, slice }) => (slice ? [{ bucket, platform, ...slice }] : []));
  const [tried, figures] = await Promise.all([
    slices.length > 0 ? attempts.ofDevice({ ...place, slices }) : { attempts: [] },
    statistics.outcomesOfDevice(place),
  ]);
  return { attempts: tried.attempts, outcomes: figures.outcomes };
}

export const explain: Handler<
  typeof api.explain,
  'applications' | 'attempts' | 'clock' | 'messages' | 'plans' | 'statistics'
> = async ({ application, message: code, hwid }, context) => {
  const { application: found } = await context.applications.findApplication({ application });
  if (!found) throw Fault.notFound('Application not found');
  const { account } = found;
  const { message } = await context.messages.find({ account, code });
  if (!message) throw Fault.notFound('Message not found');
  const plans = await context.plans.ofDevice({ account, application: found.code, message: message.code, hwid });
  if (!plans.device) throw Fault.notFound('Device not found');
  const { seq, deleted, platform } = plans.device;
  const trace = await traceOf(context, { message: message.code, application: found.code, seq }, plans);
  const evidence = { application: found.code, message, plans, ...trace, now: context.clock.now() };
  const explanation = explanationOf(evidence);
  const isShown = explanation.answer !== 'EXPIRED';
  const outcomes = trace.outcomes.length > 0 ? trace.outcomes : plannedOutcomes(plans);
  return {
    ...explanation,
    device: { number: seq, deleted, platform: deleted ? null : platform },
    message: messageOf(message),
    outcomes: isShown ? outcomes.map(outcomeOf) : [],
    plans: isShown ? plans.plans.map(planOf) : [],
    attempts: isShown ? trace.attempts.map(attemptOf) : [],
  };
};
