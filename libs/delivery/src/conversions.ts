export const CREDIT_SECONDS = 86_400;

export interface MessageOpen {
  readonly position: number;
  readonly platform: number;
  readonly message: string;
  readonly second: number;
}

export interface DeviceAction {
  readonly position: number;
  readonly second: number;
  readonly name: string;
  readonly amount: number | undefined;
}

export interface Credit {
  readonly message: string;
  readonly platform: number;
  readonly position: number;
  readonly name: string;
  readonly hits: number;
  readonly revenue: number | undefined;
}

const byTime = (a: MessageOpen, b: MessageOpen): number =>
  a.second - b.second || (a.message < b.message ? -1 : a.message > b.message ? 1 : a.platform - b.platform);

function firstOpens(opens: readonly MessageOpen[]): Map<number, MessageOpen[]> {
  const byDevice = new Map<number, MessageOpen[]>();
  const seen = new Set<string>();
  for (const open of opens.toSorted(byTime)) {
    const key = `${open.position}/${open.message}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const own = byDevice.get(open.position);
    if (own) own.push(open);
    else byDevice.set(open.position, [open]);
  }
  return byDevice;
}

const bounded = (value: number): number => Math.min(Math.max(value, -Number.MAX_VALUE), Number.MAX_VALUE);

export const plus = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined ? b : b === undefined ? a : bounded(a + b);

/** An open in the same second counts (R-H6). Sort actions first: the order of sums matters. */
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

export interface Conversions {
  readonly name: string;
  readonly hits: number;
  readonly revenue: number | undefined;
}

export function conversionsOf(credits: Iterable<Pick<Credit, 'name' | 'hits' | 'revenue'>>): Conversions[] {
  const byName = new Map<string, Conversions>();
  for (const { name, hits, revenue } of credits) {
    const existing = byName.get(name);
    byName.set(name, { name, hits: hits + (existing?.hits ?? 0), revenue: plus(existing?.revenue, revenue) });
  }
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

export const conversionRate = (hits: number, opens: number): number =>
  opens === 0 ? 0 : Math.round((hits / opens) * 10_000) / 10_000;
