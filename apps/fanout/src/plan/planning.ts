import type { LogWriter } from '@tidings/event-store';
import { RATED_SLICE_SIZE, type SendingApplication, type Suppressed } from '@tidings/delivery';
import { type Clock, TEST_CHUNK } from '@tidings/kernel';
import { inboxRemovalOf } from '@tidings/messaging';
import type { Columns } from '@tidings/registry-store';
import { isNamed, isRated, onlyChunkOf } from '../release/outgoing-message.ts';
import { acceptedIn, type ChunkWork } from '../scan/chunk-work.ts';
import type { KnownPlans } from './known-plans.ts';
import { type DecidedPlan, type PlanCommand, planLogOf, type PlanReply } from './plan-log.ts';

type MakePlan = Extract<PlanCommand, { readonly kind: 'plan' }>;

/** A plan that is being committed. */
export interface Planning {
  /** The plan as soon as this command has made it durable; undefined if another command's plan is valid. */
  readonly made: Promise<DecidedPlan | undefined>;
  /** Resolves when the command is answered: the plan can then be read. Until then its candidates must not change. */
  readonly done: Promise<unknown>;
}

export interface PlanDeps {
  readonly clock: Clock;
  readonly plans: LogWriter<PlanCommand, PlanReply>;
  readonly known: KnownPlans;
}

/** Plans a chunk. Emission need not wait until the plan is applied to its state: for a receipt to one phone that is one write of five. */
export function commitPlan(
  { clock, plans, known }: PlanDeps,
  { key, message, extras }: ChunkWork,
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
  const { made, done } = submit(plans, {
    kind: 'plan',
    of: message,
    key,
    candidates,
    // Test devices have no badge that is counted.
    badges: extras.badge && key.chunk !== TEST_CHUNK ? candidates : undefined,
    rules,
    capping: cap,
    isOnly: onlyChunkOf(message) !== undefined,
  });
  return {
    made: made.then((plan) => {
      if (plan) known.made(key, plan, at);
      return plan;
    }),
    done,
  };
}

function submit(plans: PlanDeps['plans'], command: MakePlan): Planning {
  const committed = Promise.withResolvers<PlanReply>();
  const done = plans.submit(planLogOf(command.key), command, committed.resolve);
  const made = Promise.race([committed.promise, done]).then((reply) => (reply?.fresh ? reply : undefined));
  return { made, done };
}
