export type { Commit, Decision, DocumentAddress, LogDefinition, LogWriter, Needs, Note, StateView } from './port.ts';
export { openLogs, type MongoLogsOptions } from './mongo/open-logs.ts';
export { openMemoryLogs, type MemoryLogsOptions } from './memory/memory-logs.ts';
export { openRelay, type Relay, type RelayedRecord, type RelayOptions } from './relay.ts';
export { MemoryStore } from './memory/memory-store.ts';
export type { CountingLogWriter, OpenLogsOptions } from './options.ts';
export type { Problem, WriterCounts } from './problems.ts';
