import type { MethodName } from './method-name.ts';

/** The beginnings of the names of methods that read, or set a value. */
const IDEMPOTENT = /^(get|list|check|set|register|multiRegister)[A-Z]/;

/** Other idempotent methods. */
const others: ReadonlySet<MethodName> = new Set<MethodName>([
  ...(['applicationOpen', 'messageDeliveryEvent', 'pushStat', 'unregisterDevice', 'deleteDevice'] as const),
  ...(['deleteDeviceBare', 'updateApplication', 'configureApplication', 'messagesList', 'explain', 'settled'] as const),
  ...(['compileFilter', 'totalsByIntervals'] as const),
]);

/** Creations that may be repeated: the first result is unused, since its code was never returned. */
const harmless: ReadonlySet<MethodName> = new Set<MethodName>(['createAccount', 'createApplication', 'createToken']);

/** Methods that add, although named `set…`. */
const counting: ReadonlySet<MethodName> = new Set<MethodName>(['setPurchase']);

const entriesOf = (value: unknown): unknown[] => (typeof value === 'object' && value ? Object.values(value) : []);

/** Whether a call may be sent again while its outcome is unknown. */
export function isRepeatable(name: MethodName, parameters: Readonly<Record<string, unknown>>): boolean {
  if (name === 'createMessage') {
    const notifications = entriesOf(parameters['notifications']) as { readonly transactionId?: unknown }[];
    return notifications.every(({ transactionId }) => typeof transactionId === 'string' && transactionId !== '');
  }
  // An operation on a value, such as an increment, is not idempotent.
  const operates = entriesOf(parameters['tags']).some((value) => Object.hasOwn(Object(value) as object, 'operation'));
  return (IDEMPOTENT.test(name) || others.has(name) || harmless.has(name)) && !counting.has(name) && !operates;
}
