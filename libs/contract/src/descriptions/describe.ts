import { applicationWords } from './applications.ts';
import { deviceWords } from './devices.ts';
import { inboxWords } from './inbox.ts';
import { liveActivityWords } from './live-activities.ts';
import { messageWords } from './messages.ts';
import { notifyWords } from './notify.ts';
import { operationWords } from './operations.ts';
import { statisticsWords } from './statistics.ts';

/**
 * Descriptions of fields, in Markdown. A key is the name of a field, prefixed by as many enclosing fields as distinguish it from others of that
 * name, and by the method if that does not suffice: `code`, `codes.code`, `getApplication.application`.
 */
export const words: Readonly<Record<string, string>> = {
  ...notifyWords,
  ...deviceWords,
  ...messageWords,
  ...liveActivityWords,
  ...inboxWords,
  ...applicationWords,
  ...statisticsWords,
  ...operationWords,
};

/** The keys that can describe a field, the most specific one first. */
export const keysOf = (method: string, path: readonly string[]): string[] =>
  [[method, ...path], ...path.map((_, index) => path.slice(index))].map((names) => names.join('.'));

/** The description of a field of a method; undefined if there is none. @param path from the root to the field, without array entries */
export function describe(method: string, path: readonly string[]): string | undefined {
  const key = keysOf(method, path).find((each) => Object.hasOwn(words, each));
  return key === undefined ? undefined : words[key];
}
