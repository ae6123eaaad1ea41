import { isExactNumber } from './long-integer.ts';
import type { Request } from './method.ts';

const LONE_SURROGATES = Symbol('lone surrogates');

/** A copy by spread is marked, too. */
export const withLoneSurrogates = (request: Request): Request => ({ ...request, [LONE_SURROGATES]: true });

export const hasLoneSurrogates = (request: Request): boolean => LONE_SURROGATES in request;

export const markedAs = (original: Request, copy: Request): Request =>
  hasLoneSurrogates(original) ? withLoneSurrogates(copy) : copy;

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> => {
  if (typeof value !== 'object' || value === null || isExactNumber(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

function replaced(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(replaced);
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key.toWellFormed(), replaced(member)]));
}

/** U+FFFD replaces lone surrogates, also in names of members: no store keeps one. */
export const wellFormed = <T>(value: T): T => replaced(value) as T;

export function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (Array.isArray(value)) return value.every(isWellFormed);
  if (!isPlain(value)) return true;
  return Object.entries(value).every(([key, member]) => key.isWellFormed() && isWellFormed(member));
}

export function jsonText(value: unknown): string {
  const json = JSON.stringify(value);
  return json.includes('\\ud') ? JSON.stringify(wellFormed(value)) : json;
}
