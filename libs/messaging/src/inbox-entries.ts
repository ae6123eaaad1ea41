/** Statuses of an inbox entry (R-S4). */
export const inboxStatus = { delivered: 1, read: 2, opened: 3, deletedByUser: 4, deletedByOperator: 5 } as const;

/** The acts of a user on an entry. The time of each kind is its first occurrence, in milliseconds since 1970. */
export interface EntryState {
  /** A status that the user can set, 1 to 4. */
  readonly status: number;
  /** `time` of the last call that was applied; 0 before the first. */
  readonly calledAt: number;
  /** Listed, or any status set. */
  readonly reachedAt: number;
  /** Status 2 or 3. */
  readonly readAt?: number;
  readonly openedAt?: number;
  readonly deletedAt?: number;
}

/** A call of inboxStatus. */
export interface InboxCall {
  readonly status: number;
  /** Time of the act according to the device. */
  readonly time: number;
  readonly at: number;
}

/** The state of an entry that is listed for the first time. */
export const reachedState = (at: number): EntryState => ({ status: inboxStatus.delivered, calledAt: 0, reachedAt: at });

/** The time of a kind that a status implies. */
const when = (kind: 'readAt' | 'openedAt' | 'deletedAt', at: number | undefined) =>
  at === undefined ? {} : { [kind]: at };

/**
 * The state after a call, the same one if it has no effect: a deleted entry stays deleted, and a call that is older than the last one comes too late
 * (R-S4).
 */
export function stateAfterCall(state: EntryState | undefined, { status, time, at }: InboxCall): EntryState {
  const known = state ?? reachedState(at);
  if (state && (state.status === inboxStatus.deletedByUser || time < state.calledAt)) return state;
  const isRead = status === inboxStatus.read || status === inboxStatus.opened;
  return {
    status,
    calledAt: time,
    reachedAt: known.reachedAt,
    ...when('readAt', known.readAt ?? (isRead ? at : undefined)),
    ...when('openedAt', known.openedAt ?? (status === inboxStatus.opened ? at : undefined)),
    ...when('deletedAt', known.deletedAt ?? (status === inboxStatus.deletedByUser ? at : undefined)),
  };
}

const earlier = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);

/** The state of one entry that two users had, after one of them takes over the other's inbox (R-X2): the later call counts, and a deletion. */
export function mergedState(a: EntryState, b: EntryState): EntryState {
  const isDeleted = a.status === inboxStatus.deletedByUser || b.status === inboxStatus.deletedByUser;
  const later = a.calledAt >= b.calledAt ? a : b;
  return {
    status: isDeleted ? inboxStatus.deletedByUser : later.status,
    calledAt: later.calledAt,
    reachedAt: Math.min(a.reachedAt, b.reachedAt),
    ...when('readAt', earlier(a.readAt, b.readAt)),
    ...when('openedAt', earlier(a.openedAt, b.openedAt)),
    ...when('deletedAt', earlier(a.deletedAt, b.deletedAt)),
  };
}

/** An entry of a user's inbox, as far as its place in it matters. */
export interface PlacedEntry {
  readonly order: bigint;
  readonly status: number;
}

/** A page of an inbox. */
export interface InboxPage<Entry extends PlacedEntry> {
  readonly entries: readonly Entry[];
  /** Orders of entries that an operator deleted. */
  readonly deleted: readonly bigint[];
  /** Entries with status 1, on all pages. */
  readonly fresh: number;
}

const isListed = ({ status }: PlacedEntry): boolean => status < inboxStatus.deletedByUser;

/**
 * The entries after a place, newest first, and what is known of the whole inbox (R-J3, R-J4).
 * @param before entries with a smaller order; undefined = all
 * @param count at most so many; 0 = all
 */
export function inboxPage<Entry extends PlacedEntry>(
  all: readonly Entry[],
  before: bigint | undefined,
  count: number,
): InboxPage<Entry> {
  const newestFirst = all.toSorted((a, b) => (a.order > b.order ? -1 : 1));
  const following = newestFirst.filter((entry) => isListed(entry) && (before === undefined || entry.order < before));
  return {
    entries: count === 0 ? following : following.slice(0, count),
    deleted: newestFirst.filter(({ status }) => status === inboxStatus.deletedByOperator).map(({ order }) => order),
    fresh: newestFirst.filter(({ status }) => status === inboxStatus.delivered).length,
  };
}
