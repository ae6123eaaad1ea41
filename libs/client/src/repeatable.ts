import type { MethodName } from './method-name.ts';

const IDEMPOTENT = /^(get|list|check|set|register|multiRegister)[A-Z]/;

const others: ReadonlySet<MethodName> = new Set<MethodName>([
  ...(['applicationOpen', 'messageDeliveryEvent', 'pushStat', 'unregisterDevice', 'deleteDevice'] as const),
  ...(['deleteDeviceBare', 'updateApplication', 'configureApplication', 'messagesList', 'explain', 'settled'] as const),
  ...(['compileFilter', 'totalsByIntervals'] as const),
]);

/** Repeatable: the first result is unused, since its code was never returned. */
const harmless: ReadonlySet<MethodName> = new Set<MethodName>(['createAccount', 'createApplication', 'createToken']);

/** They add, although named `set…`. */
const counting: ReadonlySet<MethodName> = new Set<MethodName>(['setPurchase']);

const entriesOf = (value: unknown): unknown[] => (typeof value === 'object' && value ? Object.values(value) : []);

export function isRepeatable(name: MethodName, parameters: Readonly<Record<string, unknown>>): boolean {
  if (name === 'createMessage') {
    const notifications = entriesOf(parameters['notifications']) as { readonly transactionId?: unknown }[];
    return notifications.every(({ transactionId }) => typeof transactionId === 'string' && transactionId !== '');
  }
  // An operation on a value, such as an increment, is not idempotent.
  const operates = entriesOf(parameters['tags']).some((value) => Object.hasOwn(Object(value) as object, 'operation'));
  return (IDEMPOTENT.test(name) || others.has(name) || harmless.has(name)) && !counting.has(name) && !operates;
}
