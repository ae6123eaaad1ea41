import { Fault } from '@tidings/kernel';
import { isWithin } from '../tags/value.ts';

/** Characters of a text without a limit of its own (R-LM4). */
const TEXT_LIMIT = 65_536;
/** Larger records are refused: a state of the store takes up to 4 MB, and a message of them is written for every visit of a zone. */
const MAX_RECORD_BYTES = 1 << 20;

/** Checks the name of a thing that has no limit of its own (R-LM4). */
export function checkName(name: string): void {
  if (name === '' || !isWithin(name, TEXT_LIMIT)) throw Fault.argument(`name: must be 1 to ${TEXT_LIMIT} characters`);
}

/** Checks what a record takes, in bytes; `what` is the subject of the refusal. */
export function checkSize(what: string, bytes: number, max = MAX_RECORD_BYTES): void {
  if (bytes > max) throw Fault.argument(`${what}: too large`);
}
