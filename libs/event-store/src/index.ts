export type {
  Commit,
  Decision,
  DocumentAddress,
  LogDefinition,
  LogWriter,
  Needs,
  SelfReport,
  StateView,
} from './event-log-port.ts';
export { fieldsOf } from './owned-fields.ts';
export { openLogs, type MongoLogsOptions } from './mongo/open-logs.ts';
export { type CommitReader, openCommits } from './mongo/open-commits.ts';
export { type CommitRedaction, openRedaction, type IndexedEvent, type CommitEvents } from './mongo/open-redaction.ts';
export { openMemoryLogs, type MemoryLogsOptions } from './memory/memory-logs.ts';
export { logCollections } from './storage/log-collections.schema.ts';
export { defineStates, type StoredState } from './storage/state-collections.schema.ts';
export { logMetrics, type MeteredLogs } from './log-metrics.ts';
export { openRelay, type Relay, type RelayOptions } from './relay/open-relay.ts';
export { publishAgain, publishedSince } from './relay/publish-again.ts';
export type { Publisher, RelayedRecord } from './relay/outbox.ts';
export type { RelayCounts } from './relay/tail.ts';
export { MemoryStore } from './memory/memory-store.ts';
export { project, type ProjectedDocument, type Projection, type ReadModel } from './projecting/project.ts';
export { RecentParts } from './projecting/recent-parts.ts';
export { commitRetention, truncateLogs, type TruncationOptions } from './truncation.ts';
export type { CountingLogWriter, OpenLogsOptions } from './log-options.ts';
export type { Problem, WriterCounts } from './problems.ts';
