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

/** By the field that has the notifications, whose `transactionId` tells repeats; absent = the request is one itself. */
export const messageMethods: ReadonlyMap<string, string | undefined> = new Map<MethodName, string | undefined>([
  ...(['createMessage', 'createEmailMessage', 'createSMSMessage', 'createLineMessage'] as const).map(
    (name): [MethodName, string] => [name, 'notifications'],
  ),
  ['createKakaoMessage', 'notifications'],
  ['createWhatsAppMessage', 'notifications'],
  ['createTargetedMessage', undefined],
]);

const entriesOf = (value: unknown): unknown[] => (typeof value === 'object' && value ? Object.values(value) : []);

export function isRepeatable(name: MethodName, parameters: Readonly<Record<string, unknown>>): boolean {
  if (messageMethods.has(name)) {
    const field = messageMethods.get(name);
    const messages = field === undefined ? [parameters] : entriesOf(parameters[field]);
    return (messages as { readonly transactionId?: unknown }[]).every(
      ({ transactionId }) => typeof transactionId === 'string' && transactionId !== '',
    );
  }
  // An operation on a value, such as an increment, is not idempotent.
  const operates = entriesOf(parameters['tags']).some((value) => Object.hasOwn(Object(value) as object, 'operation'));
  return (IDEMPOTENT.test(name) || others.has(name) || harmless.has(name)) && !counting.has(name) && !operates;
}
