import { subscriptionKeys } from '@tidings/channels';
import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';

/** The cached application may be older than its configuration. */
export const getConfig: Handler<typeof api.getConfig, 'platforms'> = async ({ application }, { platforms }) => {
  const keys = await Promise.all(
    subscriptionKeys.map(async ({ platform, setting }) => {
      const { settings } = await platforms.getCredential({ application, platform });
      return settings[setting];
    }),
  );
  const key = keys.find((each) => each !== undefined);
  return { features: { events: [], ...(key !== undefined && { vapid_key: key }) } };
};
