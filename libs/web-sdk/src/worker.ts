import { parsePush } from './notification.ts';
import { onClick, onPush, onSubscriptionChange } from './worker-events.ts';

const scope = globalThis as unknown as ServiceWorkerGlobalScope;

scope.addEventListener('push', (event) => event.waitUntil(onPush(scope, parsePush(event.data?.text() ?? ''))));
scope.addEventListener('notificationclick', (event) =>
  event.waitUntil(onClick(scope, event.notification, event.action)),
);
scope.addEventListener('pushsubscriptionchange', (event) =>
  (event as ExtendableEvent).waitUntil(onSubscriptionChange(scope)),
);
