import type { MethodName } from './method-name.ts';

/** Idempotent methods. */
const always: ReadonlySet<MethodName> = new Set<MethodName>([
  ...(['applicationOpen', 'messageDeliveryEvent', 'pushStat', 'setBadge'] as const),
  ...(['registerDevice', 'registerEmail', 'registerEmailUser', 'registerUser', 'multiRegisterDevice'] as const),
  ...(['registerSmsNumber', 'registerWhatsappNumber', 'unregisterDevice', 'deleteDevice', 'deleteDeviceBare'] as const),
  ...(['checkDevice', 'getTags', 'getNearestZone', 'updateApplication', 'configureApplication'] as const),
  ...(['getApplication', 'getApplications', 'setApplicationPlatformStatus', 'getPreset', 'listPresets'] as const),
  ...(['getCampaigns', 'listTags', 'listFilters', 'listGeoZones', 'listGeoZoneClusters', 'listTestDevices'] as const),
  ...(['messagesList', 'getDeliveryFunnel', 'getBulkSetTags', 'getBulkRegisterDevice'] as const),
  ...(['getBulkUnregisterDevice', 'getExportSegment', 'listTokens', 'listProviders', 'setDebug'] as const),
  ...(['setControlGroup', 'setAtMostOnce', 'setRateLimit'] as const),
]);

const entriesOf = (value: unknown): unknown[] => (typeof value === 'object' && value ? Object.values(value) : []);

/** Whether a call is idempotent. */
export function isRepeatable(name: MethodName, parameters: Readonly<Record<string, unknown>>): boolean {
  if (name === 'createMessage') {
    const notifications = entriesOf(parameters['notifications']) as { readonly transactionId?: unknown }[];
    return notifications.every(({ transactionId }) => typeof transactionId === 'string' && transactionId !== '');
  }
  // An operation on a value, such as an increment, is not idempotent.
  const operates = entriesOf(parameters['tags']).some((value) => Object.hasOwn(Object(value) as object, 'operation'));
  return (always.has(name) || name === 'setTags') && !operates;
}
