export type { Commit, Decision, DocumentAddress, LogDefinition, LogWriter, Needs, Note, StateView } from './port.ts';
export { openLogs, type MongoLogsOptions } from './mongo/open-logs.ts';
export { openMemoryLogs, type MemoryLogsOptions } from './memory/memory-logs.ts';
export { openRelay, type Relay, type RelayOptions } from './relay/open-relay.ts';
export type { Publisher, RelayedRecord } from './relay/outbox.ts';
export type { RelayCounts } from './relay/tail.ts';
export { MemoryStore } from './memory/memory-store.ts';
export type { CountingLogWriter, OpenLogsOptions } from './options.ts';
export type { Problem, WriterCounts } from './problems.ts';
