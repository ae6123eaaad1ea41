import type { StoredDevice } from './browser-store.ts';
import type { Parameters } from './call.ts';

/** In the order of the numbers that the API has for them. */
const STATUSES = ['delivered', 'read', 'opened', 'deleted'] as const;

export type InboxStatus = (typeof STATUSES)[number];

export interface InboxMessage {
  /** Names the entry for `setInboxStatus`. */
  readonly code: string;
  readonly title: string;
  readonly text: string;
  /** Empty if there is none. */
  readonly image: string;
  readonly link: string | undefined;
  /** Data of the message, as it was sent. */
  readonly data: string | undefined;
  readonly sentAt: Date;
  readonly expiresAt: Date;
  readonly status: InboxStatus;
}

export interface Inbox {
  /** Newest first. */
  readonly messages: readonly InboxMessage[];
  /** `after` of the next page; an empty page is the last one. */
  readonly next: string;
  /** Messages with the status `delivered`, on all pages. */
  readonly newCount: number;
}

export interface InboxReply {
  readonly messages: readonly {
    readonly order: string;
    readonly rt: string;
    readonly send_date: string;
    readonly title: string;
    readonly text: string;
    readonly image: string;
    readonly action_params: string;
    readonly status: number;
  }[];
  readonly next: string;
  readonly new_inbox: number;
}

export const userOf = ({ userId, hwid }: StoredDevice): string => userId ?? hwid;

/** Of `inboxStatus`, for now. */
export const statusOf = (device: StoredDevice, code: string, status: InboxStatus): Parameters => ({
  userId: userOf(device),
  inbox_code: code,
  status: STATUSES.indexOf(status) + 1,
  time: Date.now(),
});

const dateOf = (seconds: string): Date => new Date(Number(seconds) * 1000);

export const inboxOf = ({ messages, next, new_inbox: newCount }: InboxReply): Inbox => ({
  messages: messages.map(({ order, rt, send_date, title, text, image, action_params, status }) => {
    const { l, u } = JSON.parse(action_params) as { readonly l?: string; readonly u?: string };
    return {
      code: order,
      title,
      text,
      image,
      link: l,
      data: u,
      sentAt: dateOf(send_date),
      expiresAt: dateOf(rt),
      status: STATUSES[status - 1]!,
    };
  }),
  next,
  newCount,
});
