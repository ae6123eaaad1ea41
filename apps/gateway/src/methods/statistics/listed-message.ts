import { type api, type OutputOf, platformWordOf } from '@tidings/contract';
import type { Content, Localized, MailAddress, MessageAccepted } from '@tidings/events';
import { reachablePlatforms, shownParts, textFor } from '@tidings/messaging';
import type { MailSender, MessageView, PlatformMetrics } from '@tidings/rpc';
import { parseExactly, parseVerbatim } from '../../json/exact-numbers.ts';
import { listedDate } from '../times.ts';

type Item = OutputOf<typeof api.messagesList>['items'][number];
type Details = NonNullable<NonNullable<Item['push_info']>['details']>;
type EmailInfo = NonNullable<Item['email_info']>;

const parameters = (json: string | undefined): Record<string, unknown> =>
  json ? (parseVerbatim(json) as Record<string, unknown>) : {};

const texts = (localized: Localized | undefined): Record<string, string> =>
  Object.fromEntries(localized?.entries.map(({ language, text }) => [language, text]) ?? []);

const title = (localized: Localized | undefined): string => textFor(localized, 'default') ?? '';

const conditions = (json: string): unknown[] =>
  (parseExactly(`{"conditions":${json || '[]'}}`) as { conditions: unknown[] }).conditions;

const platformParameters = ({ ios, android, chrome, firefox }: Content): Details['platform_parameters'] => ({
  android_header: title(android?.title),
  android_root_params: parameters(android?.rootParams),
  ios_title: title(ios?.title),
  ios_subtitle: title(ios?.subtitle),
  ios_root_params: parameters(ios?.rootParams),
  chrome_header: title(chrome?.title),
  chrome_root_params: parameters(chrome?.rootParams),
  firefox_header: title(firefox?.title),
  firefox_root_params: parameters(firefox?.rootParams),
});

function detailsOf(message: MessageAccepted, content: Content): Details {
  return {
    title: title(content.title),
    filter_name: message.filterName,
    filter_code: message.filterCode,
    content: texts(content.text),
    platform_parameters: platformParameters(content),
    conditions: conditions(message.conditions),
    conditions_operator: message.conditionsOperator === 'OR' ? 'OR' : 'AND',
    data: content.data ? parseVerbatim(content.data) : {},
  };
}

const platformWords = (message: MessageAccepted | undefined): string[] =>
  (message ? reachablePlatforms(message) : []).flatMap((code) => platformWordOf(code) ?? []);

const metricOf = (given: PlatformMetrics) => ({
  platform: given.platform,
  sends: given.sends,
  opens: given.opens,
  deliveries: given.deliveries,
  inbox_opens: given.inboxOpens,
  unshowable_sends: given.unshowableSends,
  errors: given.errors,
});

const emailMetrics = (metrics: readonly PlatformMetrics[]): EmailInfo['metrics'] =>
  metrics.flatMap(({ sends, opens, deliveries, errors, mail }) =>
    mail
      ? [
          {
            sends,
            opens,
            deliveries,
            errors,
            rejects: mail.rejects,
            unsubs: mail.unsubs,
            hard_bounces: mail.hardBounces,
            soft_bounces: mail.softBounces,
            confirmed_sends: mail.confirmedSends,
            complaints: mail.complaints,
          },
        ]
      : [],
  );

const NO_ADDRESS: MailAddress = { name: '', address: '' };

const senderAt = (senders: readonly MailSender[], at: Date): MailSender | undefined =>
  senders.findLast(({ since }) => since! <= at) ?? senders[0];

function emailDetails(
  message: MessageAccepted,
  { email, title: common }: Content,
  sender: MailSender | undefined,
): EmailInfo['details'] {
  const from = email?.from ?? sender?.from ?? NO_ADDRESS;
  const reply = email?.replyTo ?? sender?.replyTo ?? NO_ADDRESS;
  return {
    template: message.preset,
    filter_name: message.filterName,
    filter_code: message.filterCode,
    subject: texts(email?.subject ?? common),
    from_name: from.name,
    from_email: from.address,
    reply_name: reply.name,
    reply_email: reply.address,
    follow_user_timezone: message.localTime !== undefined,
    conditions: conditions(message.conditions),
    conditions_operator: message.conditionsOperator === 'OR' ? 'OR' : 'AND',
  };
}

type Metrics = readonly PlatformMetrics[] | undefined;

const pushInfo = (message: MessageAccepted | undefined, metrics: Metrics): NonNullable<Item['push_info']> => ({
  ...(message?.content && { details: detailsOf(message, message.content) }),
  follow_user_timezone: message?.localTime !== undefined,
  ...(metrics && { metrics: metrics.map(metricOf) }),
});

const emailInfo = (
  message: MessageAccepted | undefined,
  metrics: Metrics,
  sender: MailSender | undefined,
): EmailInfo => ({
  ...(message?.content && { details: emailDetails(message, message.content, sender) }),
  ...(metrics && { metrics: emailMetrics(metrics) }),
});

export const showsSender = ({ message }: MessageView): boolean => {
  const { email } = message?.content ?? {};
  return message?.content !== undefined && shownParts(message).email && !(email?.from && email.replyTo);
};

export function listedMessage(view: MessageView, metrics: Metrics, senders: readonly MailSender[]): Item {
  const { message, createdAt = new Date(0) } = view;
  const shown = message ? shownParts(message) : { push: true, email: false };
  const startedAt = new Date(Math.max(createdAt.getTime(), message?.sendAt?.getTime() ?? 0));
  return {
    id: Number(view.id),
    code: view.code,
    created_date: listedDate(createdAt),
    send_date: listedDate(message?.sendAt ?? createdAt),
    status: view.status,
    platforms: platformWords(message),
    source: message?.source ?? '',
    ...(shown.push && { push_info: pushInfo(message, metrics) }),
    ...(shown.email && { email_info: emailInfo(message, metrics, senderAt(senders, startedAt)) }),
  };
}
