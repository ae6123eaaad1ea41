export const inboxStatus = { delivered: 1, read: 2, opened: 3, deletedByUser: 4, deletedByOperator: 5 } as const;

export interface EntryState {
  readonly status: number;
  readonly calledAt: number;
  readonly reachedAt: number;
  readonly readAt?: number;
  readonly openedAt?: number;
  readonly deletedAt?: number;
}

export interface InboxCall {
  readonly status: number;
  readonly time: number;
  readonly at: number;
}

export const reachedState = (at: number): EntryState => ({ status: inboxStatus.delivered, calledAt: 0, reachedAt: at });

const optionalTime = (kind: 'readAt' | 'openedAt' | 'deletedAt', at: number | undefined) =>
  at === undefined ? {} : { [kind]: at };

/** Deletions are final; late calls are ignored (R-S4). */
export function stateAfterCall(state: EntryState | undefined, { status, time, at }: InboxCall): EntryState {
  const current = state ?? reachedState(at);
  if (state && (state.status === inboxStatus.deletedByUser || time < state.calledAt)) return state;
  const isRead = status === inboxStatus.read || status === inboxStatus.opened;
  return {
    status,
    calledAt: time,
    reachedAt: current.reachedAt,
    ...optionalTime('readAt', current.readAt ?? (isRead ? at : undefined)),
    ...optionalTime('openedAt', current.openedAt ?? (status === inboxStatus.opened ? at : undefined)),
    ...optionalTime('deletedAt', current.deletedAt ?? (status === inboxStatus.deletedByUser ? at : undefined)),
  };
}

const earlier = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);

/** The later call counts, and any deletion (R-X2). */
export function mergedState(a: EntryState, b: EntryState): EntryState {
  const isDeleted = a.status === inboxStatus.deletedByUser || b.status === inboxStatus.deletedByUser;
  const later = a.calledAt >= b.calledAt ? a : b;
  return {
    status: isDeleted ? inboxStatus.deletedByUser : later.status,
    calledAt: later.calledAt,
    reachedAt: Math.min(a.reachedAt, b.reachedAt),
    ...optionalTime('readAt', earlier(a.readAt, b.readAt)),
    ...optionalTime('openedAt', earlier(a.openedAt, b.openedAt)),
    ...optionalTime('deletedAt', earlier(a.deletedAt, b.deletedAt)),
  };
}

export interface OrderedEntry {
  readonly order: bigint;
  readonly status: number;
}

export interface InboxPage<Entry extends OrderedEntry> {
  readonly entries: readonly Entry[];
  readonly deleted: readonly bigint[];
  readonly newCount: number;
}

const isListed = ({ status }: OrderedEntry): boolean => status < inboxStatus.deletedByUser;

export function inboxPage<Entry extends OrderedEntry>(
  all: readonly Entry[],
  before: bigint | undefined,
  count: number,
): InboxPage<Entry> {
  const newestFirst = all.toSorted((a, b) => (a.order > b.order ? -1 : 1));
  const following = newestFirst.filter((entry) => isListed(entry) && (before === undefined || entry.order < before));
  return {
    entries: count === 0 ? following : following.slice(0, count),
    deleted: newestFirst.filter(({ status }) => status === inboxStatus.deletedByOperator).map(({ order }) => order),
    newCount: newestFirst.filter(({ status }) => status === inboxStatus.delivered).length,
  };
}
