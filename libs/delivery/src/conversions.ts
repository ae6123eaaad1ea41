/** An event of a device counts for a message until this long after the device opened it (R-H6), in seconds. */
export const CREDIT_SECONDS = 86_400;

/** A device opened a message. */
export interface MessageOpen {
  readonly position: number;
  readonly platform: number;
  readonly message: string;
  /** Since 1970 UTC. */
  readonly second: number;
}

/** An event or a purchase of a device. */
export interface DeviceAction {
  readonly position: number;
  /** Since 1970 UTC. */
  readonly second: number;
  readonly name: string;
  /** Undefined without a currency (R-H6). */
  readonly amount: number | undefined;
}

/** The events of one name of a device that count for a message. */
export interface Credit {
  readonly message: string;
  readonly platform: number;
  readonly position: number;
  readonly name: string;
  readonly hits: number;
  /** The sum of the amounts; undefined if there is none. */
  readonly revenue: number | undefined;
}

const byTime = (a: MessageOpen, b: MessageOpen): number =>
  a.second - b.second || (a.message < b.message ? -1 : a.message > b.message ? 1 : a.platform - b.platform);

/** The first open of each message by each device: repeats change nothing (R-C11). Ordered by time. */
function firstOpens(opens: readonly MessageOpen[]): Map<number, MessageOpen[]> {
  const byDevice = new Map<number, MessageOpen[]>();
  const known = new Set<string>();
  for (const open of opens.toSorted(byTime)) {
    const key = `${open.position}/${open.message}`;
    if (known.has(key)) continue;
    known.add(key);
    const own = byDevice.get(open.position);
    if (own) own.push(open);
    else byDevice.set(open.position, [open]);
  }
  return byDevice;
}

/** Keeps sums that JSON can express. */
const bounded = (value: number): number => Math.min(Math.max(value, -Number.MAX_VALUE), Number.MAX_VALUE);

/** The sum of two optional amounts. */
export const plus = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined ? b : b === undefined ? a : bounded(a + b);

/**
 * Credits each event to the message that its device opened last before it, if that was within 24 hours (R-H6). An open of the same second counts as
 * before. The result depends on the facts alone, not on their order, except for the order in which amounts are added: sort actions first.
 */
export function creditsOf(opens: readonly MessageOpen[], actions: readonly DeviceAction[]): Credit[] {
  const opensOf = firstOpens(opens);
  const credits = new Map<string, Credit>();
  for (const { position, second, name, amount } of actions) {
    const last = opensOf.get(position)?.findLast((open) => open.second <= second);
    if (!last || second - last.second > CREDIT_SECONDS) continue;
    const { message, platform } = last;
    const key = JSON.stringify([position, platform, message, name]);
    const { hits = 0, revenue } = credits.get(key) ?? {};
    credits.set(key, { message, platform, position, name, hits: hits + 1, revenue: plus(revenue, amount) });
  }
  return [...credits.values()];
}

/** The conversions of a message under one event name. */
export interface Conversions {
  readonly name: string;
  readonly hits: number;
  /** Undefined if no event had an amount. */
  readonly revenue: number | undefined;
}

/** The sums over all credits by name, ordered by name (R-H6). */
export function conversionsOf(credits: Iterable<Pick<Credit, 'name' | 'hits' | 'revenue'>>): Conversions[] {
  const byName = new Map<string, Conversions>();
  for (const { name, hits, revenue } of credits) {
    const known = byName.get(name);
    byName.set(name, { name, hits: hits + (known?.hits ?? 0), revenue: plus(known?.revenue, revenue) });
  }
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Hits relative to opens, rounded to 4 decimals; 0 without opens (R-H6). */
export const conversionRate = (hits: number, opens: number): number =>
  opens === 0 ? 0 : Math.round((hits / opens) * 10_000) / 10_000;
