import type { Notification } from '@tidings/contract';
import type { Audience, Content } from '@tidings/events';
import { pushPlatforms } from '@tidings/kernel';
import { tagsOf } from '@tidings/messaging';
import type { MessageDraft, PrepareAudience, PreparedAudience } from '@tidings/rpc';

/** Below this many named recipients a message is hidden, unless debug mode is on (R-I6). */
const HISTORY_FROM = 10;

/** What is the same for all notifications of a request. */
export interface Circumstances {
  readonly application: string;
  readonly debug: boolean;
  readonly now: Date;
}

/** The question to the registry: whom a notification addresses. */
export function audienceOf({ recipients }: Notification, index: number): PrepareAudience {
  const path = `notifications[${index}]`;
  switch (recipients.kind) {
    case 'users':
    case 'devices':
      return { path, target: { $case: recipients.kind, value: { names: [...recipients.names] } } };
    case 'conditions':
      return {
        path,
        target: {
          $case: 'conditions',
          value: { operator: recipients.operator, conditions: [...recipients.conditions] },
        },
      };
    case 'everyone':
      return { path, target: { $case: 'everyone', value: {} } };
  }
}

/** Named devices are reached on whatever platform they have, all others on the push platforms, unless the request says which (R-I5). */
const platformsOf = ({ platforms, recipients }: Notification): number[] =>
  platforms.length > 0 || recipients.kind === 'devices' ? [...platforms] : [...pushPlatforms];

const isWebLink = (link: string): boolean => /^https?:\/\//i.test(link);

function contentOf({ shortenLink, ...given }: Notification['content']): { content: Content; linkToShorten: string } {
  const shorten = shortenLink && given.link !== undefined && isWebLink(given.link);
  const content: Content = { ...given, link: shorten ? undefined : given.link, tags: [] };
  return {
    content: { ...content, tags: tagsOf({ ...content, link: given.link }) },
    linkToShorten: shorten ? given.link! : '',
  };
}

const conditionsOf = ({ recipients }: Notification) =>
  recipients.kind === 'conditions'
    ? {
        conditions: JSON.stringify(recipients.conditions.map(({ tag, operator, operand }) => [tag, operator, operand])),
        conditionsOperator: recipients.operator,
      }
    : { conditions: '', conditionsOperator: '' };

/** What the scheduler is asked to accept for one notification. */
export function draftOf(
  notification: Notification,
  prepared: PreparedAudience,
  { application, debug, now }: Circumstances,
): MessageDraft {
  const { recipients, transactional, transactionId } = notification;
  const listed = 'names' in recipients;
  const audience: Audience = { target: prepared.audience?.target, platforms: platformsOf(notification) };
  const { content, linkToShorten } = contentOf(notification.content);
  return {
    transactionId,
    linkToShorten,
    message: {
      applications: [application],
      sendAt: now,
      source: 'API',
      transactional,
      hidden: listed && recipients.names.length < HISTORY_FROM && !debug,
      listedRecipients: listed,
      campaignId: 0n,
      audience,
      content,
      ...conditionsOf(notification),
      shortLink: '',
      shortLinkTarget: '',
      transaction: '',
      answer: '',
    },
  };
}
