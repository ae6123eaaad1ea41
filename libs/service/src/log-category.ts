import {
  type LogDefinition,
  logMetrics,
  type LogWriter,
  openLogs,
  type OpenLogsOptions,
  openRelay,
  type RelayOptions,
  truncateLogs,
} from '@tidings/event-store';
import type { BackendName, Closing, OpenWork, ServiceDeps } from '@tidings/runtime';
import type { Broker } from '@tidings/streaming';

export interface LogCategory<Command, Reply> {
  readonly writer: LogWriter<Command, Reply>;
  readonly open: OpenWork;
}

export interface LogCategoryOptions<Event>
  extends
    Pick<RelayOptions<Event>, 'publish' | 'lingerMs'>,
    Pick<OpenLogsOptions<Event>, 'cyclesInFlight' | 'cacheBytes'> {
  readonly service: BackendName;
  readonly retentionMs: number;
}

export async function openLogCategory<Command, Event, State, Reply, Context>(
  { db, clock, log, broker, metrics, exclusive }: ServiceDeps & { readonly broker: Broker },
  definition: LogDefinition<Command, Event, State, Reply, Context>,
  { service, publish, lingerMs, cyclesInFlight, cacheBytes, retentionMs }: LogCategoryOptions<Event>,
  closing: Closing,
): Promise<LogCategory<Command, Reply>> {
  const { category } = definition;
  const relay = await openRelay({
    db,
    category,
    decode: (bytes) => definition.decode(bytes),
    isKnown: (event) => definition.isKnown(event),
    broker,
    publish,
    exclusive,
    ...(lingerMs !== undefined && { lingerMs }),
    onProblem: (error) => log.warn({ category, err: error }, 'relay failed'),
  });
  closing.add(`relay of ${category}`, relay, () => relay.close());
  const writer = openLogs(db, definition, {
    clock,
    exclusive,
    committed: relay.enqueue,
    ...(cyclesInFlight !== undefined && { cyclesInFlight }),
    ...(cacheBytes !== undefined && { cacheBytes }),
    onProblem: ({ error, ...problem }) => log.error({ ...problem, err: error }, 'event log problem'),
  });
  closing.add(`logs of ${category}`, writer, () => writer.close());
  logMetrics(metrics, { category, writer, relay });
  const truncation = truncateLogs(db, definition, { clock, log, retentionMs });
  closing.add(`truncation of ${category}`, truncation, () => truncation.stop());
  await writer.applyCommits();
  const unpublished = (isPublished: boolean): string[] =>
    isPublished ? [] : [`${service}: unpublished commits of ${category}`];
  return {
    writer,
    open: {
      async own() {
        if (!writer.idle()) return [`${service}: commands to ${category}`];
        return unpublished(await relay.idle());
      },
      shared: async () => unpublished(await relay.caughtUp()),
    },
  };
}
