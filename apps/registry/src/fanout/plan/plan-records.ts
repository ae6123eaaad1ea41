import {
  type Commit,
  type LogDefinition,
  logMetrics,
  type LogWriter,
  openLogs,
  openRelay,
  type RelayedRecord,
  truncateLogs,
} from '@tidings/event-store';
import { PlanEvent, topicNames } from '@tidings/events';
import type { Closing, ServiceDeps } from '@tidings/runtime';
import type { Broker } from '@tidings/streaming';

/** The logs of a category with their relay to `tidings.plans`. */
export interface PlanLogs<Command, Reply> {
  readonly writer: LogWriter<Command, Reply>;
  /** One line for what is not written or not published yet. */
  open(): Promise<string[]>;
}

export interface PlanLogsOptions {
  readonly closing: Closing;
  /** Milliseconds for which commits are kept. */
  readonly keptMs: number;
}

/** Opens a category of logs and its relay, and folds what a former life has left. */
export async function openPlanLogs<Command, State, Reply>(
  { db, clock, log, broker, metrics }: ServiceDeps & { readonly broker: Broker },
  definition: LogDefinition<Command, PlanEvent, State, Reply>,
  { closing, keptMs }: PlanLogsOptions,
): Promise<PlanLogs<Command, Reply>> {
  const { category } = definition;
  const relay = await openRelay({
    db,
    clock,
    category,
    decode: (bytes) => definition.decode(bytes),
    isKnown: (event) => definition.isKnown(event),
    broker,
    publish: planRecords,
    onProblem: (error) => log.warn({ category, err: error }, 'relay in trouble'),
  });
  closing.add(`relay of ${category}`, relay, () => relay.close());
  const writer = openLogs(db, definition, {
    clock,
    committed: (commit) => relay.offer(commit),
    onProblem: ({ error, ...problem }) => log.error({ ...problem, err: error }, 'log in trouble'),
  });
  closing.add(`logs of ${category}`, writer, () => writer.close());
  logMetrics(metrics, { category, writer, relay });
  const truncation = truncateLogs(db, definition, { clock, log, keptMs });
  closing.add(`truncation of ${category}`, truncation, () => truncation.stop());
  await writer.fold();
  return {
    writer,
    async open() {
      if (!writer.idle()) return [`fanout: commands to ${category}`];
      return (await relay.level()) ? [] : [`fanout: unpublished commits of ${category}`];
    },
  };
}

/** What a commit of plans says on `tidings.plans`. */
function planRecords({ log, n, events }: Commit<PlanEvent>): RelayedRecord[] {
  return events.map((event, index) => ({
    topic: topicNames.plans,
    key: recordKeyOf(event),
    value: PlanEvent.encode({ ...event, stamp: { log, n: BigInt(n), index } }).finish(),
  }));
}

/** message/application/chunk; the split of a message belongs to no chunk. */
function recordKeyOf({ message, application, event }: PlanEvent): string {
  const chunk = event?.$case === 'chunk' || event?.$case === 'settled' ? `/${event.value.chunk}` : '';
  return `${message}/${application}${chunk}`;
}
