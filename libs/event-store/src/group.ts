import type { OpenSpan } from '@tidings/telemetry';
import type { DecidedGroup } from './decide-group.ts';
import type { Log, Pending } from './log-intake.ts';
import { mergeSelfReports, type SelfReportUpdate } from './self-reports.ts';
import type { StateWrite, StoredCommit } from './log-store.ts';

export interface Group<Command, Event, State, Reply> {
  readonly log: Log<Command, Reply>;
  pending: readonly Pending<Command, Reply>[];
  isCached?: boolean;
  decided?: DecidedGroup<Event, State, Reply>;
  commit?: StoredCommit;
  span?: OpenSpan | undefined;
  /** Only one of commit and filler can be stored. */
  filler?: StoredCommit;
}

export type DecidedIn<G extends { decided?: unknown }> = G & { readonly decided: NonNullable<G['decided']> };

export function writesOf<Command, Event, State, Reply>({
  log,
  decided,
  commit,
}: DecidedIn<Group<Command, Event, State, Reply>>): StateWrite[] {
  const position = commit?.position ?? log.head!;
  const selfReported = new Map<string, { address: StateWrite['address']; updates: readonly SelfReportUpdate[] }>();
  for (const document of mergeSelfReports(decided.selfReports)) selfReported.set(keyOf(document.address), document);
  const writes: StateWrite[] = [];
  for (const [{ address, stored }, { document: fields, clears, bytes }] of decided.changed) {
    const key = selfReported.size > 0 ? keyOf(address) : '';
    const selfReports = selfReported.get(key)?.updates ?? [];
    selfReported.delete(key);
    writes.push({ address, log: log.name, position, fields, before: stored, clears, selfReports, bytes });
  }
  for (const { address, updates } of selfReported.values()) {
    const nothing = { fields: undefined, before: undefined, clears: false };
    writes.push({ address, log: log.name, position, ...nothing, selfReports: updates, bytes: 1024 });
  }
  return writes;
}

const keyOf = ({ collection, id }: StateWrite['address']): string => `${collection}\0${id}`;
