import { Fault } from '@tidings/kernel';
import { isWithin } from '../tags/value.ts';

const TEXT_LIMIT = 65_536;
const MEBIBYTE = 1 << 20;

export function checkName(name: string): void {
  if (name === '' || !isWithin(name, TEXT_LIMIT)) throw Fault.argument(`name: must be 1 to ${TEXT_LIMIT} characters`);
}

export function checkSize(what: string, bytes: number, mebibytes = 1): void {
  if (bytes > mebibytes * MEBIBYTE) throw Fault.argument(`${what}: at most ${mebibytes} MiB`);
}
