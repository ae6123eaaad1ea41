import { Fault } from '@tidings/kernel';
import { isWithin } from '../tags/value.ts';

/** Maximum characters of a text without its own limit (R-LM4). */
const TEXT_LIMIT = 65_536;
const MEBIBYTE = 1 << 20;

/** Checks a name without its own limit (R-LM4). */
export function checkName(name: string): void {
  if (name === '' || !isWithin(name, TEXT_LIMIT)) throw Fault.argument(`name: must be 1 to ${TEXT_LIMIT} characters`);
}

/** Checks the size of stored data: a message made of it needs room for more, and a state takes up to 4 MB. @param what the subject of the refusal */
export function checkSize(what: string, bytes: number, mebibytes = 1): void {
  if (bytes > mebibytes * MEBIBYTE) throw Fault.argument(`${what}: at most ${mebibytes} MiB`);
}
