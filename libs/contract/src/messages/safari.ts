import type { z } from 'zod';
import { alternative } from '../presence.ts';
import { array, optional, text } from '../values.ts';
import { ttl } from './ios.ts';
import { localized } from './texts.ts';

/** Fields `safari_*` of a notification. */
export const safariFields = {
  safari_title: alternative(localized),
  safari_action: optional(text),
  safari_url_args: alternative(array(text)),
  safari_ttl: optional(ttl),
};

type SafariField = keyof typeof safariFields;

type Fields = { [Name in SafariField]: z.output<(typeof safariFields)[Name]> };

const names = Object.keys(safariFields) as SafariField[];
const needed: readonly SafariField[] = ['safari_title', 'safari_url_args'];

/** The settings of a notification in Safari; undefined = not given. Title and arguments must be given with any of them (R-I22). */
export function safariContent(fields: Fields, { issues }: Pick<z.core.ParsePayload, 'issues'>) {
  const missing = names.some((name) => fields[name] !== undefined)
    ? needed.find((name) => fields[name] === undefined)
    : undefined;
  if (missing) issues.push({ code: 'custom', message: 'must be set', path: [missing], input: undefined });
  return {
    title: fields.safari_title,
    action: fields.safari_action,
    urlArgs: fields.safari_url_args,
    ttlSeconds: fields.safari_ttl,
  };
}
