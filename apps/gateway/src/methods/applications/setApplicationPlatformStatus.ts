import { type api, switchedPlatforms } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { availablePlatforms } from './providers.ts';

export const setApplicationPlatformStatus: Handler<typeof api.setApplicationPlatformStatus, 'platforms'> = async (
  input,
  { platforms },
  { account },
) => {
  const view = await platforms.setPlatformStatus({ account, ...input });
  const name = switchedPlatforms.get(input.platform)!;
  return {
    message: `${name} ${input.enabled ? 'enabled' : 'disabled'}`,
    available_platforms: availablePlatforms(view),
  };
};
