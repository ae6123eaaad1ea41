import type { Inbox, InboxStatus } from './inbox.ts';
import type { Push } from './notification.ts';

export interface ConnectOptions {
  /** Address of the gateway, such as `https://push.example`. */
  readonly url: string;
  readonly application: string;
  /** A device token, which visitors can read: never an API token. */
  readonly token: string;
  /** Path of the service worker, at the origin of the page. @default '/tidings-worker.js' */
  readonly worker?: string | undefined;
  /** Of the service worker. @default the folder of its path */
  readonly scope?: string | undefined;
  /** Public. @default that of the application, by getConfig */
  readonly vapidKey?: string | undefined;
  /** Of notifications whose message has no title. @default the host name of the site */
  readonly title?: string | undefined;
  /** Of notifications whose message has no icon. */
  readonly icon?: string | undefined;
}

export type TagValue =
  | string
  | number
  | boolean
  | readonly string[]
  /** Removes the value. */
  | null
  | { readonly operation: 'increment'; readonly value: number }
  | { readonly operation: 'append'; readonly value: readonly string[] }
  | { readonly operation: 'remove'; readonly value: unknown };

/** `blocked`: the visitor refuses notifications. */
export type SubscriptionState = 'unsupported' | 'blocked' | 'unsubscribed' | 'subscribed';

/** This browser as a device of an application. Methods reject with a `Failure`. */
export interface WebDevice {
  /** Names the device in the API. */
  hwid(): Promise<string>;
  state(): Promise<SubscriptionState>;
  /** Asks for permission if there is no answer yet: call it from a click. */
  subscribe(): Promise<void>;
  unsubscribe(): Promise<void>;
  /**
   * Reports a visit of a subscribed browser, and renews its subscription if the browser lost it or the application has another VAPID key.
   * Does nothing in other browsers: they are no devices.
   */
  open(): Promise<void>;
  /** Unknown tags are ignored. Before a subscription it makes a device that gets no pushes, as do `setUser` and `setLanguage`. */
  setTags(tags: Readonly<Record<string, TagValue>>): Promise<void>;
  getTags(): Promise<Readonly<Record<string, unknown>>>;
  /** Null: the device is its own user again. */
  setUser(userId: string | null): Promise<void>;
  /** Two letters (ISO 639-1). @default that of the browser */
  setLanguage(language: string): Promise<void>;
  /** Of the icon of an installed site, and the number from which messages count on. */
  setBadge(badge: number): Promise<void>;
  /** Of the user, newest first. `after` is `next` of the page before. */
  inbox(page?: { readonly count?: number; readonly after?: string }): Promise<Inbox>;
  setInboxStatus(code: string, status: InboxStatus): Promise<void>;
  /** Calls the listener for pushes that arrive while the page is open. Returns a function that ends it. */
  onPush(listener: (push: Push) => void): () => void;
}
