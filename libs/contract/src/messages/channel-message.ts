import type { PlatformCode } from '@tidings/kernel';
import { z } from 'zod';
import { namedPreset } from '../presets/preset-code.ts';
import { array, optional } from '../values.ts';
import { messageFields, transactionId } from './message-fields.ts';
import { type GivenContent, NO_PLATFORM_CONTENT, type Notification } from './notification.ts';
import type { Recipients } from './recipients.ts';
import { sendDate } from './send-date.ts';

export const channelFields = {
  send_date: sendDate.describe(
    '`now`, or the time to send: `YYYY-MM-DD HH:mm` in UTC, at most 365 days ahead. A past time means now.',
  ),
  preset: optional(namedPreset),
  dynamic_content_placeholders: messageFields.dynamic_content_placeholders,
  transactionId: optional(transactionId),
};

export const listOfOne = <Contact extends z.ZodType>(contact: Contact, name: string) =>
  z
    .custom<unknown[]>((value) => Array.isArray(value) && value.length === 1, {
      error: `exactly one ${name} is expected`,
      abort: true,
    })
    .meta({ type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 1 })
    .pipe(array(contact));

interface Given {
  readonly send_date: { readonly ms: number } | undefined;
  readonly preset: string | undefined;
  readonly dynamic_content_placeholders: string | undefined;
  readonly transactionId: string | undefined;
}

interface Own {
  readonly platform: PlatformCode;
  readonly recipients: Recipients;
  readonly content: Partial<GivenContent>;
  readonly transactional: boolean;
}

export function channelMessage(given: Given, { platform, recipients, content, transactional }: Own): Notification {
  const { send_date: date, dynamic_content_placeholders: placeholders } = given;
  const whole: Partial<GivenContent> = { ...NO_PLATFORM_CONTENT, placeholders, ...content };
  return {
    sendAt: date && { at: new Date(date.ms), localAt: undefined },
    recipients,
    circle: undefined,
    platforms: [platform],
    transactional,
    preset: given.preset ?? '',
    campaign: '',
    campaignName: '',
    transactionId: given.transactionId ?? '',
    capping: { cap: undefined, exclude: false, avoid: false },
    sendRate: { value: undefined, avoid: false },
    content: whole as GivenContent,
  };
}
