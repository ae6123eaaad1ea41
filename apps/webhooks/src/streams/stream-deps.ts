import type { CommitReader } from '@tidings/event-store';
import type { WebhookEvent } from '@tidings/events';
import type { Clock } from '@tidings/kernel';
import type { Logger } from '@tidings/runtime';
import type { EventMaker } from '../events/make.ts';
import type { MessageStore } from '../facts/message-store.ts';
import type { StreamMetrics } from '../stream-metrics.ts';
import type { Endpoint } from '../subscriptions/endpoint.ts';
import type { Subscription } from '../subscriptions/subscription.ts';
import type { DeferredStores } from './deferred/mongo-deferred.ts';
import type { Link, LinkRequest } from './links/link-port.ts';
import type { Progress } from './stream-progress.ts';

export interface StreamDeps {
  readonly commits: Pick<CommitReader<WebhookEvent>, 'after' | 'pick' | 'newest'>;
  readonly maker: EventMaker;
  readonly messages: Pick<MessageStore, 'find'>;
  readonly connect: (request: LinkRequest<Endpoint>) => Promise<Link>;
  /** For links that cannot reconnect. */
  readonly hungUp?: () => void;
  readonly deferred: Pick<DeferredStores, 'of'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: StreamMetrics;
  readonly disable: (subscription: Subscription, reason: string) => Promise<unknown>;
  /** False if another process owns the stream by now. */
  readonly save: (progress: Progress) => Promise<boolean>;
  readonly isOwner: () => boolean;
}
