import type { WebhookRequest } from '@tidings/rpc';
import type { AddressGuard } from '@tidings/runtime';
import type { Broker } from '@tidings/streaming';
import type { Endpoint } from '../../subscriptions/endpoint.ts';

/** The connection of a stream to its subscriber, over whatever transport its endpoint names. */
export interface Link {
  /** Whether the link takes another event. If it does not, `drained` follows once it does. */
  readonly isWritable: boolean;
  /** Sends an event, in order; its answer is reported by uuid. */
  send(event: WebhookRequest): void;
  /** Ends the link; no further callbacks are called. */
  close(): void;
}

export interface LinkListener {
  /** Reports the answer to an event; it may come late, or twice. */
  answered(uuid: string, isAck: boolean): void;
  drained(): void;
  /** Called once, when the link has ended: all events in flight are unanswered. */
  broken(error: Error): void;
}

export interface LinkDeps {
  /** Decides which addresses may be connected to. */
  readonly guard: AddressGuard;
  /** PEM text of additional CA certificates. */
  readonly extraCa?: string | undefined;
  /** The topics of subscribers are in it. */
  readonly broker: Pick<Broker, 'addTopic' | 'publish'>;
}

/** What a transport needs to open a link. */
export interface LinkRequest<Kind extends Endpoint> {
  readonly endpoint: Kind;
  /** Id of the subscription. */
  readonly subscription: string;
  readonly listener: LinkListener;
  /** Aborted when the stream ends. */
  readonly signal: AbortSignal;
}

/** Opens a link. @throws the reason why the subscriber cannot be reached */
export type OpenLink<Kind extends Endpoint = Endpoint> = (request: LinkRequest<Kind>, deps: LinkDeps) => Promise<Link>;

/** Whether the status of an answer acknowledges (R-EV5). */
export const isAck = (status: string): boolean => /^(ok|success|200)$/i.test(status.trim());
