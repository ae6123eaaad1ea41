import type { ApiClient } from '@tidings/client';
import type { Parameters, World } from './world.ts';

/** A client of the world with only an API token of its own, made by `createToken` with these parameters. The caller closes it. */
export async function clientWith(world: Pick<World, 'call' | 'url'>, token: Parameters): Promise<ApiClient> {
  const { ApiClient } = await import('@tidings/client');
  const { token: api } = await world.call('createToken', { scope: 'api', ...token });
  return new ApiClient(world.url, { api }, 2);
}
