import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { configuredProviders } from './providers.ts';

export const configureApplication: Handler<typeof api.configureApplication> = async (
  { application, platform, settings, secrets, disabled },
  { accounts },
  { account },
) => {
  const view = await accounts.configurePlatform({
    account,
    application,
    platform,
    settings,
    secretSettings: [...secrets],
    disabled,
  });
  return { providers: configuredProviders(view) };
};
