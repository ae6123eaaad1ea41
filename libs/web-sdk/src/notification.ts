/** The keys of a push that notifications have no option for; all others are options. */
export interface Push {
  readonly body?: string;
  readonly header?: string;
  readonly i?: string;
  readonly image?: string;
  readonly l?: string;
  readonly p?: string;
  readonly u?: string;
  readonly buttons?: string;
  readonly pw_inbox?: string;
  readonly pw_badges?: number | string;
  readonly silent?: boolean | string;
  readonly duration?: number | string;
  readonly [option: string]: unknown;
}

/** What a notification keeps for its click. */
export interface NotificationTarget {
  readonly hash?: string | undefined;
  readonly link?: string | undefined;
  /** By the index of the button. */
  readonly links: readonly (string | undefined)[];
  /** Its entry in the inbox. */
  readonly inbox?: string | undefined;
}

export interface ShownNotification {
  readonly title: string;
  readonly options: NotificationOptions;
  /** Unset: the browser decides. */
  readonly durationMs: number | undefined;
}

interface Button {
  readonly title: string;
  readonly url?: string;
}

/** Browsers end a service worker that works for longer. */
const MAX_DURATION_S = 300;

function durationOf({ duration }: Push): number | undefined {
  const seconds = Number(duration);
  return seconds > 0 && seconds <= MAX_DURATION_S ? seconds * 1000 : undefined;
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Text that is no JSON object becomes the body. */
export function parsePush(text: string): Push {
  const value = parsed(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Push) : { body: text };
}

function buttonsIn(text: string | undefined): readonly Button[] {
  const value = text === undefined ? undefined : parsed(text);
  return Array.isArray(value) ? (value as Button[]) : [];
}

/** Undefined if the message is not to be shown. */
export function notificationOf(
  push: Push,
  defaults: { readonly title: string; readonly icon?: string | undefined },
): ShownNotification | undefined {
  const { body, header, i, image, l, p, u, md, rm, h, r, buttons, pwcid, pw_inbox, ...rest } = push;
  const { inbox_params, pw_badges, deep_link_id, deep_link_params, silent, duration, ...options } = rest;
  if (String(silent) === 'true') return undefined;
  const choices = buttonsIn(buttons);
  const target: NotificationTarget = { hash: p, link: l, links: choices.map(({ url }) => url), inbox: pw_inbox };
  return {
    title: header ?? defaults.title,
    options: {
      ...options,
      body,
      icon: i ?? defaults.icon,
      image,
      actions: choices.map(({ title }, index) => ({ action: String(index), title })),
      data: { tidings: target, u },
    } as NotificationOptions,
    durationMs: durationOf(push),
  };
}

/** The link of a click on a button, or on the notification itself. */
export const linkOf = ({ link, links }: NotificationTarget, action: string): string | undefined =>
  (action === '' ? undefined : links[Number(action)]) ?? link;

/** Unset or empty: the push says nothing of the badge. */
export const badgeOf = ({ pw_badges: badge }: Push): number | undefined =>
  badge === undefined || badge === '' || !(Number(badge) >= 0) ? undefined : Math.floor(Number(badge));
