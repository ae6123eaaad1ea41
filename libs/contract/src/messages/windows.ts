import type { z } from 'zod';
import { base64 } from '../fields/base64.ts';
import { alternative } from '../presence.ts';
import { bit, oneOf, optional, text } from '../values.ts';
import { ttl } from './ios.ts';
import { localizedOf } from './texts.ts';

const TAG = /^[A-Za-z0-9]{1,16}$/;
const tag = text.refine((value) => TAG.test(value), 'must be 1 to 16 letters or digits').meta({ pattern: TAG.source });

export const windowsFields = {
  wns_content: alternative(localizedOf(base64)).describe(
    'The notification on Windows in base64, XML or raw data, or by language; without it the texts of the message ' +
      'are shown as a toast.',
  ),
  wns_type: optional(oneOf(['Tile', 'Toast', 'Badge', 'Raw'])).describe(
    'Kind of `wns_content`, which all kinds but `Toast` require; `Toast` if left out.',
  ),
  wns_tag: optional(tag).describe(
    'Tag of the notification, by which a later tile replaces it: 1 to 16 letters or digits.',
  ),
  wns_cache: optional(bit).describe('1 lets the provider keep the notification for an unreachable device, 0 does not.'),
  wns_ttl: optional(ttl),
};

type Fields = { [Name in keyof typeof windowsFields]: z.output<(typeof windowsFields)[Name]> };

/** Only toasts can be made of texts (R-I22). */
export const lacksNotification = (type: string | undefined, notification: unknown): boolean =>
  type !== undefined && type !== 'Toast' && notification === undefined;

export function refuseTextsAlone(fields: Fields, { issues }: Pick<z.core.ParsePayload, 'issues'>): void {
  if (!lacksNotification(fields.wns_type, fields.wns_content)) return;
  issues.push({ code: 'custom', message: 'must be set', path: ['wns_content'], input: fields });
}

export const windowsContent = (fields: Fields) => ({
  notification: fields.wns_content,
  type: fields.wns_type,
  tag: fields.wns_tag,
  cache: fields.wns_cache,
  ttlSeconds: fields.wns_ttl,
});
