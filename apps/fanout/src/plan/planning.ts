import type { LogWriter } from '@tidings/event-store';
import { type DecidedPlan, type PlanCommand, planLogOf, type PlanReply } from './plan-log.ts';

type MakePlan = Extract<PlanCommand, { readonly kind: 'plan' }>;

/** A plan that is being committed. */
export interface Planning {
  /** The plan as soon as this command has made it durable; undefined if another command's plan is valid. */
  readonly made: Promise<DecidedPlan | undefined>;
  /** Resolves when the command is answered: the plan can then be read. Until then its candidates must not change. */
  readonly done: Promise<unknown>;
}

/** Plans a chunk. Emission need not wait until the plan is applied to its state: for a receipt to one phone that is one write of five. */
export function planInLog(writer: LogWriter<PlanCommand, PlanReply>, command: MakePlan): Planning {
  const committed = Promise.withResolvers<PlanReply>();
  const done = writer.submit(planLogOf(command.key), command, committed.resolve);
  const made = Promise.race([committed.promise, done]).then((reply) => (reply?.fresh ? reply : undefined));
  return { made, done };
}
