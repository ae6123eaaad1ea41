import { type LinkPurpose, LinkTokens, targetMac, type LinkedMessage } from '@tidings/messaging';
import { type Clock, withoutTrailingSlashes } from '@tidings/kernel';
import type { KeyObject } from 'node:crypto';

/** The paths of the service's own links in mails, below its public URL. */
export const mailPaths = {
  /** The image that reports an open. */
  open: '/mail/open/',
  /** A link that reports a click and leads to its target. */
  click: '/mail/click/',
  /** The page on which recipients choose what they get; a POST unsubscribes (RFC 8058). */
  unsubscribe: '/mail/unsubscribe/',
} as const;

export interface MailLinksDeps {
  /** The key from `linkKeyOf`. */
  readonly key: KeyObject;
  readonly clock: Clock;
  /** Public address of the service, without a trailing slash. */
  readonly publicUrl: string;
}

/** The service's own links in the mails of one message. */
export class MailLinks {
  readonly tokens: LinkTokens;
  readonly publicUrl: string;
  readonly #message: LinkedMessage;
  readonly #key: KeyObject;

  constructor(message: LinkedMessage, { key, clock, publicUrl }: MailLinksDeps) {
    // Header lines and attributes contain it: a parsed URL is ASCII without quotes and white space.
    this.publicUrl = withoutTrailingSlashes(new URL(publicUrl).href);
    this.tokens = new LinkTokens(key, message, clock);
    this.#message = message;
    this.#key = key;
  }

  /** A URL up to the recipient's token. */
  before(path: keyof typeof mailPaths): string {
    return this.publicUrl + mailPaths[path];
  }

  /** The rest of the URL of a link behind the recipient's token: the signature of the target, and the target. */
  afterToken(target: string): string {
    // The quote ends attributes.
    const to = encodeURIComponent(target).replaceAll("'", '%27');
    return `/${targetMac(this.#key, this.#message, target)}?to=${to}`;
  }

  /** The purpose of the token in each link. */
  purposeOf(path: keyof typeof mailPaths): LinkPurpose {
    return path === 'unsubscribe' ? 'preferences' : 'tracking';
  }
}

const TRACKED = new RegExp(`${mailPaths.click}[\\w-]+/[\\w-]+\\?to=([^&#?/=]+)$`);

/** The target of a link that counts clicks; another address as it is. */
export function untracked(address: string): string {
  const to = TRACKED.exec(address)?.[1];
  try {
    return to === undefined ? address : decodeURIComponent(to);
  } catch {
    return address;
  }
}
