import { fanoutGroups } from '@tidings/delivery';
import { facts, FanoutTask, type MessageEvent, topicNames } from '@tidings/events';
import { transientAsFault } from '@tidings/mongo';
import type { Closing } from '@tidings/runtime';
import { consume, type ConsumeOptions, type Headers, incidentsTo, type Readers } from '@tidings/streaming';
import { currentTrace, inSpan, type Trace, traceOf } from '@tidings/telemetry';
import { workOnTask } from './chunk-tasks.ts';
import type { Collaborators, FanoutDeps } from './collaborators.ts';

/** A handler must end within 5 s. */
const HANDLER_BUDGET_MS = 2_000;

const inTaskSpan = (headers: Headers | undefined, work: () => Promise<void>): Promise<void> =>
  inSpan('plan chunk', { of: [traceOf(headers), currentTrace()] }, work);

function tracesOf(records: readonly { value: MessageEvent; headers?: Headers | undefined }[]): Map<string, Trace> {
  const traces = new Map<string, Trace>();
  for (const { value, headers } of records) {
    const trace = traceOf(headers);
    if (trace) traces.set(value.code, trace);
  }
  return traces;
}

export async function consumeAll(
  { broker, log, metrics }: FanoutDeps,
  collaborators: Collaborators,
  closing: Closing,
): Promise<void> {
  const { chunks, directBuffers, broadcastBuffers, releases, settling } = collaborators;
  const subscribe = async <const R extends Readers>(options: ConsumeOptions<R>): Promise<void> => {
    const subscription = await consume(broker, {
      ...options,
      handler: (records) => transientAsFault(() => options.handler(records)),
      report: incidentsTo(log, metrics),
    });
    closing.add(options.group, subscription, () => subscription.stop());
  };
  await subscribe({
    group: fanoutGroups.messages,
    topics: { [topicNames.messages]: facts.messages },
    maxRecords: 100,
    handler: (records) =>
      releases.handle(
        records.map(({ value }) => value),
        tracesOf(records),
      ),
  });
  await subscribe({
    group: fanoutGroups.tasks,
    topics: { [topicNames.fanout]: FanoutTask },
    maxRecords: 16,
    async handler(records) {
      const startedAt = performance.now();
      let done = 0;
      for (const { value, headers } of records) {
        if (done > 0 && performance.now() - startedAt > HANDLER_BUDGET_MS) break;
        await inTaskSpan(headers, () => workOnTask(chunks, value, broadcastBuffers));
        done++;
      }
      return done;
    },
  });
  await subscribe({
    group: fanoutGroups.direct,
    topics: { [topicNames.fanoutDirect]: FanoutTask },
    maxRecords: 100,
    // Tasks run in parallel, so that one commit plans all messages of a chunk.
    async handler(records) {
      const tasks = records.map(({ value, headers }) =>
        inTaskSpan(headers, () => workOnTask(chunks, value, directBuffers)),
      );
      await Promise.all(tasks);
    },
  });
  await subscribe({
    group: fanoutGroups.outcomes,
    topics: { [topicNames.outcomes]: facts.outcomes },
    handler: (records) => settling.record(records.map(({ value }) => value)),
  });
}
