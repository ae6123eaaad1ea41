import { isDay, withoutTime } from '../fields/dates.ts';
import { integerOf, optional, text } from '../values.ts';

const DAY_MS = 86_400_000;

export const NOT_AFTER_SEND = 'must be after the send date';

/** Each of them saves the message to inboxes (R-I21). */
export const inboxFields = {
  /** Days since 1970. */
  inbox_date: optional(
    text
      .transform(withoutTime)
      .refine(isDay, NOT_AFTER_SEND)
      .transform((day) => Math.max(0, Date.parse(day) / DAY_MS)),
  ).describe(
    'Day on which the message leaves the inbox, `YYYY-MM-DD`; it must be after the day of the send. Saves the ' +
      'message to the inbox, takes precedence over `inbox_days`.',
  ),
  inbox_days: optional(integerOf(1, 30)).describe(
    'Number of days, 1 to 30, after which the message leaves the inbox; 1 if left out. Saves the message to the ' +
      'inbox.',
  ),
  inbox_image: optional(text).describe('URL of a picture for the entry in the inbox. Saves the message to the inbox.'),
};

/** Platform 0 = all others. */
export interface InboxPicture {
  readonly platform: number;
  readonly language: string;
  readonly image: string;
}

export interface InboxRemoval {
  readonly platform: number;
  readonly language: string;
  readonly removalDay: number;
}

interface InboxFields {
  readonly inbox_date?: number | undefined;
  readonly inbox_days?: number | undefined;
  readonly inbox_image?: string | undefined;
}

export const inboxContent = ({ inbox_date: removalDay, inbox_days: days, inbox_image: image }: InboxFields) =>
  removalDay === undefined && days === undefined && image === undefined
    ? undefined
    : { removalDay, days, image, pictures: [] as InboxPicture[], removals: [] as InboxRemoval[] };
