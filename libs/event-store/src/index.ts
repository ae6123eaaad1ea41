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
export { openLogs } from './mongo/open-logs.ts';
export { type CommitReader, openCommits } from './mongo/open-commits.ts';
export { type CommitRedaction, openRedaction, type IndexedEvent } from './mongo/open-redaction.ts';
export { openMemoryLogs } from './memory/memory-logs.ts';
export { logCollections } from './storage/log-collections.schema.ts';
export { defineStates, type StoredState } from './storage/state-collections.schema.ts';
export { logMetrics } from './log-metrics.ts';
export { openRelay, type Relay, type RelayOptions } from './relay/open-relay.ts';
export { publishAgain, publishedSince } from './relay/publish-again.ts';
export type { Publisher, RelayedRecord } from './relay/outbox.ts';
export { MemoryStore } from './memory/memory-store.ts';
export { project, type ProjectedDocument } from './projecting/project.ts';
export { RecentParts } from './projecting/recent-parts.ts';
export { commitRetention, truncateLogs } from './truncation.ts';
export type { CountingLogWriter, OpenLogsOptions } from './log-options.ts';
export type { Problem } from './problems.ts';
