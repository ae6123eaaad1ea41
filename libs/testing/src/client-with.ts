import type { ApiClient } from '@tidings/client';
import type { Parameters, World } from './world.ts';

/** The caller closes it. */
export async function clientWith(world: Pick<World, 'call' | 'url'>, token: Parameters): Promise<ApiClient> {
  const { ApiClient } = await import('@tidings/client');
  const { token: api } = await world.call('createToken', { scope: 'api', ...token });
  return new ApiClient(world.url, { api }, 2);
}
