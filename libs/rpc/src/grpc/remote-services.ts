import type { BackendName } from '@tidings/runtime';
import { definitionsOf, type ServicesOf } from '../rpc-services.ts';
import { remote, type RemoteOptions } from './remote.ts';
import type { Replicas } from './replicas.ts';

export type RemoteServicesOptions<Owner extends BackendName> = {
  readonly [Name in keyof ServicesOf<Owner>]?: RemoteOptions<ServicesOf<Owner>[Name]>;
};

export function remoteServices<Owner extends BackendName>(
  owner: Owner,
  replicas: Replicas,
  options: RemoteServicesOptions<Owner> = {},
): ServicesOf<Owner> {
  const rules = new Map(Object.entries<RemoteOptions<object> | undefined>(options));
  return Object.fromEntries(
    definitionsOf(owner).map(([name, definition]) => [name, remote(definition, replicas, rules.get(name))]),
  ) as ServicesOf<Owner>;
}
