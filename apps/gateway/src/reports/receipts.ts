import { Fault } from '@tidings/kernel';
import type { ApplicationView } from '@tidings/rpc';
import type { Context } from '../context.ts';
import type { ReadSecrets, Secrets } from './receipt-secrets.ts';

export async function receivingApplication(
  { access }: Pick<Context, 'access'>,
  code: string,
): Promise<ApplicationView> {
  const found = await access.anonymousAccess(code);
  if (found.kind !== 'granted') throw Fault.notFound('Not Found');
  return found.application;
}

export async function secretsOf<Name extends string>(
  { access }: Pick<Context, 'access'>,
  application: ApplicationView,
  read: ReadSecrets<Name>,
): Promise<Secrets<Name>> {
  const secrets = await read(application);
  if (secrets) return secrets;
  // Providers verify at once, maybe through another gateway.
  const fresh = await access.freshApplication(application.code);
  const configured = fresh && (await read(fresh));
  if (!configured) throw Fault.notFound('Not Found');
  return configured;
}
