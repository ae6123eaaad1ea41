import { parseDate } from '@tidings/kernel';
import { text } from '../values.ts';

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Date.parse rolls over dates such as February 30. */
const exists = (day: string): boolean => {
  const date = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
};

export interface WrittenTime {
  /** UTC unless the text names an offset. */
  readonly ms: number;
  readonly hasOffset: boolean;
}

const OFFSET = /(Z|[+-]\d{2}:?\d{2})$/;

export function writtenTime(value: string): WrittenTime | undefined {
  const date = value.includes(':') ? parseDate(value) : undefined;
  return date && { ms: date.ms, hasOffset: OFFSET.test(value.slice('YYYY-MM-DD'.length)) };
}

export const isDay = (value: string): boolean => DAY.test(value) && exists(value);
export const withoutTime = (value: string): string => value.replace(/[ Tt].*/s, '');
const startOf = (value: string): Date => new Date(`${value}T00:00:00Z`);

export const day = text.refine(isDay, 'must be YYYY-MM-DD').transform(startOf);

/** A time that follows is ignored. */
export const dayOfTime = text.transform(withoutTime).refine(isDay, 'must be YYYY-MM-DD').transform(startOf);

const momentOf = (value: string): Date | undefined => {
  const date = parseDate(value);
  return date && new Date(date.ms);
};

/** Unix seconds, or a date as Date tags take it (R-RES8). */
export const moment = text
  .refine((value) => momentOf(value) !== undefined, 'must be a date')
  .transform((value) => momentOf(value)!);

const MILLISECONDS = /^\d{13}(\.\d+)?$/;
const clientMomentOf = (value: string): Date | undefined =>
  MILLISECONDS.test(value) ? new Date(Math.floor(Number(value))) : momentOf(value);

/** Also milliseconds since 1970 in 13 digits, as clients send it (R-S4). */
export const clientMoment = text
  .refine((value) => clientMomentOf(value) !== undefined, 'must be a date')
  .transform((value) => clientMomentOf(value)!);
