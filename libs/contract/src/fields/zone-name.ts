import { text } from '../values.ts';

const NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;

/** Names that were looked up: a few hundred zones in a few spellings. */
const known = new Map<string, boolean>();
const KNOWN = 2000;

function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

function isKnownZone(name: string): boolean {
  if (!NAME.test(name)) return false;
  let found = known.get(name);
  if (found !== undefined) return found;
  found = isZone(name);
  if (known.size >= KNOWN) known.clear();
  known.set(name, found);
  return found;
}

/** A time zone by its IANA name, in any case (R-I8). */
export const zoneName = text.refine(isKnownZone, 'unknown zone');
