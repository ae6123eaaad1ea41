import { type LinkPurpose, LinkTokens, targetMac, type LinkedMessage } from '@tidings/messaging';
import { type Clock, withoutTrailingSlashes } from '@tidings/kernel';
import type { KeyObject } from 'node:crypto';

export const mailPaths = {
  open: '/mail/open/',
  click: '/mail/click/',
  unsubscribe: '/mail/unsubscribe/',
} as const;

export interface MailLinksDeps {
  readonly key: KeyObject;
  readonly clock: Clock;
  readonly publicUrl: string;
}

export class MailLinks {
  readonly tokens: LinkTokens;
  readonly publicUrl: string;
  readonly #message: LinkedMessage;
  readonly #key: KeyObject;

  constructor(message: LinkedMessage, { key, clock, publicUrl }: MailLinksDeps) {
    // A parsed URL has no quotes and white space, which headers and attributes exclude.
    this.publicUrl = withoutTrailingSlashes(new URL(publicUrl).href);
    this.tokens = new LinkTokens(key, message, clock);
    this.#message = message;
    this.#key = key;
  }

  before(path: keyof typeof mailPaths): string {
    return this.publicUrl + mailPaths[path];
  }

  afterToken(target: string): string {
    // The quote ends attributes.
    const to = encodeURIComponent(target).replaceAll("'", '%27');
    return `/${targetMac(this.#key, this.#message, target)}?to=${to}`;
  }

  purposeOf(path: keyof typeof mailPaths): LinkPurpose {
    return path === 'unsubscribe' ? 'preferences' : 'tracking';
  }
}

const TRACKED = new RegExp(`${mailPaths.click}[\\w-]+/[\\w-]+\\?to=([^&#?/=]+)$`);

export function untracked(address: string): string {
  const to = TRACKED.exec(address)?.[1];
  try {
    return to === undefined ? address : decodeURIComponent(to);
  } catch {
    return address;
  }
}
