import type { LogWriter } from '@tidings/event-store';
import { RATED_SLICE_SIZE, type SendingApplication, type Suppressed } from '@tidings/delivery';
import { type Clock, TEST_CHUNK } from '@tidings/kernel';
import { inboxRemovalOf } from '@tidings/messaging';
import type { Columns } from '@tidings/registry-store';
import { isNamed, isRated } from '../release/outgoing-message.ts';
import { acceptedIn, type ChunkWork } from '../scan/chunk-work.ts';
import type { RecentPlans } from './recent-plans.ts';
import { type DecidedPlan, type PlanCommand, planLogOf, type PlanReply } from './plan-log.ts';

type MakePlan = Extract<PlanCommand, { readonly kind: 'plan' }>;

export interface Planning {
  readonly decided: Promise<DecidedPlan | undefined>;
  /** The candidates must not change before it resolves. */
  readonly done: Promise<unknown>;
}

export interface PlanDeps {
  readonly clock: Clock;
  readonly plans: LogWriter<PlanCommand, PlanReply>;
  readonly recentPlans: RecentPlans;
}

/** Emission does not wait for the plan's state, one write of five for one receipt. */
export function commitPlan(
  { clock, plans, recentPlans }: PlanDeps,
  { key, message, extras, isOnly }: ChunkWork,
  application: SendingApplication | undefined,
  candidates: Columns,
  suppressed: Suppressed,
): Planning {
  const accepted = acceptedIn(key, message.accepted);
  const { audience, transactional, content, capped, capping, cappingExclude, cappingAvoid } = accepted;
  const isExempt = transactional && !capped;
  const at = new Date(clock.now());
  const rules = {
    chunk: key.chunk,
    named: isNamed(message),
    transactional,
    once: message.step !== undefined,
    platforms: audience?.platforms ?? [],
    content,
    application,
    suppressed,
    at,
    inboxRemoval: content?.inbox && inboxRemovalOf(content.inbox, at),
    counted: !isExempt && !cappingExclude,
    ...(isRated(message) && { sliceSize: RATED_SLICE_SIZE }),
  };
  const cap = isExempt || cappingAvoid ? undefined : (capping ?? application?.capping);
  const { decided, done } = submit(plans, {
    kind: 'plan',
    of: message,
    key,
    candidates,
    badges: extras.badge && key.chunk !== TEST_CHUNK ? candidates : undefined,
    rules,
    capping: cap,
    isOnly,
  });
  return {
    decided: decided.then((plan) => {
      if (plan) recentPlans.add(key, plan, at);
      return plan;
    }),
    done,
  };
}

function submit(plans: PlanDeps['plans'], command: MakePlan): Planning {
  const committed = Promise.withResolvers<PlanReply>();
  const done = plans.submit(planLogOf(command.key), command, committed.resolve);
  const decided = Promise.race([committed.promise, done]).then((reply) => (reply?.fresh ? reply : undefined));
  return { decided, done };
}
