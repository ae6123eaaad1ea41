import { lookup, type LookupAddress, type LookupAllOptions, type LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';

type LookupCallback = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;

/** Less than opening a connection, so that failures name the cause. */
const LOOKUP_TIMEOUT_MS = 4_000;

const noAnswer = (hostname: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`getaddrinfo ${hostname}: no answer within ${LOOKUP_TIMEOUT_MS} ms`), {
    code: 'ETIMEOUT',
    syscall: 'getaddrinfo',
    hostname,
  });

export function allAddresses(of: LookupFunction, hostname: string, options: LookupOptions, done: LookupCallback): void {
  of(hostname, { ...options, all: true }, (error, found, family = 4) => {
    if (error) done(error, []);
    else done(null, typeof found === 'string' ? [{ address: found, family }] : found);
  });
}

export function answerWith(
  found: readonly LookupAddress[],
  { all }: LookupOptions,
  callback: Parameters<LookupFunction>[2],
): void {
  const [first = { address: '', family: 0 }] = found;
  if (all) callback(null, [...found]);
  else callback(null, first.address, first.family);
}

export const limitedLookup =
  (of: LookupFunction): LookupFunction =>
  (hostname, options, callback) => {
    let isOver = false;
    const end = (report: () => void): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      report();
    };
    const timer = setTimeout(() => end(() => callback(noAnswer(hostname), '', 0)), LOOKUP_TIMEOUT_MS);
    allAddresses(of, hostname, options, (error, found) =>
      end(() => (error ? callback(error, '', 0) : answerWith(found, options, callback))),
    );
  };

const pending = new Map<string, LookupCallback[]>();

/** Each look-up takes a thread while DNS is slow. */
const sharedLookup: LookupFunction = (hostname, { family, hints, ...options }, callback) => {
  const key = `${hostname} ${family} ${hints}`;
  const answered: LookupCallback = (error, found) => {
    if (error) callback(error, '', 0);
    else answerWith(found, options, callback);
  };
  const waiting = pending.get(key);
  if (waiting) {
    waiting.push(answered);
    return;
  }
  pending.set(key, [answered]);
  const all: LookupAllOptions = { all: true, ...(family === undefined ? {} : { family }), ...(hints ? { hints } : {}) };
  lookup(hostname, all, (error, found) => {
    const callbacks = pending.get(key) ?? [];
    pending.delete(key);
    for (const each of callbacks) each(error, found);
  });
};

export const systemLookup: LookupFunction = limitedLookup(sharedLookup);
