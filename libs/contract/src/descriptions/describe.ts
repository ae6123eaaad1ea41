import { applicationWords } from './applications.ts';
import { deviceWords } from './devices.ts';
import { messageWords } from './messages.ts';
import { operationWords } from './operations.ts';
import { statisticsWords } from './statistics.ts';

/**
 * What fields mean, in Markdown. A key is the name of a field, with as many of the fields around it as are needed to tell it from others of that
 * name, and with the method before them where that does not suffice: `code`, `codes.code`, `getApplication.application`.
 */
export const words: Readonly<Record<string, string>> = {
  ...deviceWords,
  ...messageWords,
  ...applicationWords,
  ...statisticsWords,
  ...operationWords,
};

/** The keys that can stand for a field, the most exact one first. */
export const keysOf = (method: string, path: readonly string[]): string[] =>
  [[method, ...path], ...path.map((_, index) => path.slice(index))].map((names) => names.join('.'));

/** What a field of a method means; undefined where nobody has said so. @param path from the root to the field, without the entries of arrays */
export function describe(method: string, path: readonly string[]): string | undefined {
  const key = keysOf(method, path).find((each) => Object.hasOwn(words, each));
  return key === undefined ? undefined : words[key];
}
