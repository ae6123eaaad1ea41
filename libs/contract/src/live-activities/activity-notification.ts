import { Platform } from '@tidings/kernel';
import type { LocalizedText } from '../messages/texts.ts';
import { type GivenContent, NO_PLATFORM_CONTENT, type Notification } from '../messages/notification.ts';
import type { Recipients } from '../messages/recipients.ts';
import { identityOf, integer, optional } from '../values.ts';

export const activityId = identityOf(1, 255);

const PLATFORMS = [Platform.iOS];

/** Seconds from now below 1,000,000,000, else unix time (R-M4). */
export const moment = optional(integer.refine((value) => value >= 0, 'must not be negative').meta({ minimum: 0 }));

export const score = optional(integer.refine((value) => value >= 1, 'must be at least 1').meta({ minimum: 1 }));

interface ActivityPush {
  readonly recipients: Recipients;
  readonly text?: LocalizedText | undefined;
  readonly title?: LocalizedText | undefined;
  readonly transactional: boolean;
}

export function activityMessage({ recipients, text, title, transactional }: ActivityPush): Notification {
  const content: Partial<GivenContent> = { ...NO_PLATFORM_CONTENT, text, title };
  return {
    sendAt: undefined,
    recipients,
    circle: undefined,
    platforms: PLATFORMS,
    preset: '',
    campaign: '',
    campaignName: '',
    transactionId: '',
    transactional,
    capping: { cap: undefined, exclude: false, avoid: false },
    sendRate: { value: undefined, avoid: false },
    content: content as GivenContent,
  };
}
