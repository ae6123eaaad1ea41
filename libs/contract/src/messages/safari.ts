import type { z } from 'zod';
import { alternative } from '../presence.ts';
import { array, optional, text } from '../values.ts';
import { ttl } from './ios.ts';
import { localized } from './texts.ts';

export const safariFields = {
  safari_title: alternative(localized).describe(
    'Title on Safari; required with any other field of Safari, unless there is a `title`.',
  ),
  safari_action: optional(text).describe('Label of the button on Safari.'),
  safari_url_args: optional(array(text)).describe(
    'Values for the URL that a click on Safari opens, one for each `%@` of its template; none if left out.',
  ),
  safari_ttl: optional(ttl),
};

type SafariField = keyof typeof safariFields;

type Fields = { [Name in SafariField]: z.output<(typeof safariFields)[Name]> };

const names = Object.keys(safariFields) as SafariField[];

export function refuseUntitled(
  fields: Fields & { readonly title?: unknown; readonly preset?: unknown },
  { issues }: Pick<z.core.ParsePayload, 'issues'>,
): void {
  const isTitled = [fields.safari_title, fields.title, fields.preset].some((each) => each !== undefined);
  if (isTitled || names.every((name) => fields[name] === undefined)) return;
  issues.push({ code: 'custom', message: 'must be set', path: ['safari_title'], input: undefined });
}

export function safariContent(fields: Fields) {
  return {
    title: fields.safari_title,
    action: fields.safari_action,
    urlArgs: fields.safari_url_args,
    ttlSeconds: fields.safari_ttl,
  };
}
