import type { EventFormat } from '@tidings/events';
import type { WebhookResponse } from '@tidings/rpc';
import type { AddressGuard, OutboundProxy } from '@tidings/runtime';
import type { Broker } from '@tidings/streaming';
import type { OutgoingEvent } from '../../events/outgoing-event.ts';
import type { Endpoint } from '../../subscriptions/endpoint.ts';
import type { SubscriptionSecrets } from '../../subscriptions/subscription-secrets.ts';
import type { Failure } from '../unacked.ts';

export interface Link {
  /** If false, `drained` follows. */
  readonly isWritable: boolean;
  readonly answerMs: number;
  /** @default they compete with the others */
  readonly deferredRoom?: number;
  /** In order; a deferred event goes out by itself. */
  send(event: OutgoingEvent, isDeferred?: boolean): void;
  close(): void;
}

/** Answers may come late, or twice. */
export interface LinkListener {
  acked(uuid: string): void;
  /** @param reason without secrets */
  failed(uuids: readonly string[], how: Failure, reason: string): void;
  drained(): void;
  /** Called once; all events in flight have failed. */
  broken(error: Error): void;
}

export interface LinkDeps {
  readonly guard: AddressGuard;
  readonly proxy?: OutboundProxy | undefined;
  readonly extraCa?: string | undefined;
  readonly broker: Pick<Broker, 'addTopic' | 'publish'>;
  readonly secrets: Pick<SubscriptionSecrets, 'keysOf'>;
}

export interface LinkRequest<Kind extends Endpoint> {
  readonly endpoint: Kind;
  /** @default protobuf */
  readonly format?: EventFormat | undefined;
  readonly subscription: string;
  readonly listener: LinkListener;
  readonly signal: AbortSignal;
}

export type OpenLink<Kind extends Endpoint> = (request: LinkRequest<Kind>, deps: LinkDeps) => Promise<Link>;

export const isAck = (status: string): boolean => /^(ok|success|200)$/i.test(status.trim());

const SHOWN = 60;

export const refusalBy = (status: string): string =>
  `refused with the status ${JSON.stringify(status.slice(0, SHOWN))}`;

export function reportAnswer(listener: LinkListener, { uuid, status }: WebhookResponse): void {
  if (isAck(status)) listener.acked(uuid);
  else listener.failed([uuid], 'refused', refusalBy(status));
}

/** It may be the subscriber's text. */
const REASON_MAX = 200;

export function reasonOf(error: unknown): string {
  const { message, code } = (error ?? {}) as Partial<NodeJS.ErrnoException>;
  return (message || code || 'unknown').slice(0, REASON_MAX);
}
