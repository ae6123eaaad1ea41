import type { WebhookResponse } from '@tidings/rpc';
import type { AddressGuard, OutboundProxy } from '@tidings/runtime';
import type { Broker } from '@tidings/streaming';
import type { OutgoingEvent } from '../../events/outgoing-event.ts';
import type { Endpoint } from '../../subscriptions/endpoint.ts';
import type { SubscriptionSecrets } from '../../subscriptions/subscription-secrets.ts';
import type { Failure } from '../unacked.ts';

/** The connection of a stream to its subscriber, over the transport that its endpoint names. */
export interface Link {
  /** Whether the link takes another event. If it does not, `drained` follows once it does. */
  readonly isWritable: boolean;
  /** Time from `send` until an event counts as late, in milliseconds. */
  readonly answerMs: number;
  /** How many deferred events it takes beside the others, whether or not it is writable. @default as many as others, in their place */
  readonly deferredRoom?: number;
  /** Sends an event, in order; its answer is reported by uuid. A deferred one goes out by itself. */
  send(event: OutgoingEvent, isDeferred?: boolean): void;
  /** Ends the link; no further callbacks are called. */
  close(): void;
}

/** Answers to events; they may come late, or twice. */
export interface LinkListener {
  acked(uuid: string): void;
  /** Reports events that failed together. @param reason for the subscriber's owner, without secrets */
  failed(uuids: readonly string[], how: Failure, reason: string): void;
  drained(): void;
  /** Called once, when the link has ended: all events in flight have failed. */
  broken(error: Error): void;
}

export interface LinkDeps {
  /** Decides which addresses may be connected to. */
  readonly guard: AddressGuard;
  /** TLS connections to subscribers go through it. @default none */
  readonly proxy?: OutboundProxy | undefined;
  /** PEM text of additional CA certificates. */
  readonly extraCa?: string | undefined;
  /** The topics of subscribers are in it. */
  readonly broker: Pick<Broker, 'addTopic' | 'publish'>;
  /** Signs what is posted. */
  readonly secrets: Pick<SubscriptionSecrets, 'keysOf'>;
}

/** The arguments of a transport. */
export interface LinkRequest<Kind extends Endpoint> {
  readonly endpoint: Kind;
  /** Id of the subscription. */
  readonly subscription: string;
  readonly listener: LinkListener;
  /** Aborted when the stream ends. */
  readonly signal: AbortSignal;
}

/** Opens a link. @throws the reason why the subscriber cannot be reached */
export type OpenLink<Kind extends Endpoint> = (request: LinkRequest<Kind>, deps: LinkDeps) => Promise<Link>;

/** Whether the status of an answer acknowledges (R-EV5). */
export const isAck = (status: string): boolean => /^(ok|success|200)$/i.test(status.trim());

const SHOWN = 60;

/** A refusal by its status, shortened: the text is the subscriber's. */
export const refusalBy = (status: string): string =>
  `refused with the status ${JSON.stringify(status.slice(0, SHOWN))}`;

/** Reports an answer in the form of the specification. */
export function reportAnswer(listener: LinkListener, { uuid, status }: WebhookResponse): void {
  if (isAck(status)) listener.acked(uuid);
  else listener.failed([uuid], 'refused', refusalBy(status));
}

/** Maximum characters of a reason: parts of it may be the subscriber's. */
const REASON_MAX = 200;

/** The fault of a connection in few words. */
export function reasonOf(error: unknown): string {
  const { message, code } = (error ?? {}) as Partial<NodeJS.ErrnoException>;
  return (message || code || 'unknown').slice(0, REASON_MAX);
}
