import type { LogDefinition, LogWriter } from '@tidings/event-store';
import type { ChunkPlanned, PlanEvent } from '@tidings/events';
import { type PlanCommand, planLogOf, type PlanReply, plansLog, type PlanState } from './plans.ts';

type MakePlan = Extract<PlanCommand, { readonly kind: 'plan' }>;

/** A plan on its way into its log. */
export interface Planning {
  /** The plan as soon as this very command has made it durable; undefined where another command's plan counts. */
  readonly made: Promise<ChunkPlanned | undefined>;
  /** Resolves when the command is answered: the plan can then be read. Until then its candidates must not change. */
  readonly done: Promise<unknown>;
}

/**
 * Tells who made which plan at its commit, so that what goes out need not wait until the plan is folded into its state: for a receipt to
 * one phone that is one write of five.
 */
export class Planner {
  readonly #commands = new WeakMap<PlanEvent, PlanCommand>();
  readonly #waiting = new Map<PlanCommand, (planned: ChunkPlanned) => void>();

  /** The plans' logs, with a note of which command made an event. */
  readonly definition: LogDefinition<PlanCommand, PlanEvent, PlanState, PlanReply> = {
    ...plansLog,
    decide: (command, view) => {
      const decision = plansLog.decide(command, view);
      for (const event of decision.events) this.#commands.set(event, command);
      return decision;
    },
  };

  /** Pass it every event that this process has committed. */
  readonly committed = (event: PlanEvent): void => {
    const command = this.#commands.get(event);
    if (command && event.event?.$case === 'chunk') this.#waiting.get(command)?.(event.event.value);
  };

  plan(writer: LogWriter<PlanCommand, PlanReply>, command: MakePlan): Planning {
    const committed = new Promise<ChunkPlanned>((resolve) => this.#waiting.set(command, resolve));
    const done = writer.submit(planLogOf(command.key), command).finally(() => this.#waiting.delete(command));
    const answered = done.then((reply) => (reply?.fresh ? reply.planned : undefined));
    return { made: Promise.race([committed, answered]), done };
  }
}
