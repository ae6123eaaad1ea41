import { credentialFault, definitionOf, settingFault } from '@tidings/channels';
import type { api } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import { openPlainKey } from '@tidings/runtime';
import type { Handler } from '../../context.ts';
import { configuredProviders } from './providers.ts';

/** Key files stay unopened (R-A2). */
function checkSettings(platform: number, settings: Readonly<Record<string, string>>): void {
  const definition = definitionOf(platform);
  const fault = definition && settingFault(definition.credential, settings, { key: openPlainKey });
  if (fault) throw Fault.argument(`${fault.field}: ${credentialFault(fault.result.name)?.sentence ?? ''}`);
}

export const configureApplication: Handler<typeof api.configureApplication, 'platforms'> = async (
  { application, platform, settings, secrets, disabled },
  { platforms },
  { account },
) => {
  checkSettings(platform, settings);
  const view = await platforms.configurePlatform({
    account,
    application,
    platform,
    settings,
    secretSettings: [...secrets],
    disabled,
  });
  return { providers: configuredProviders(view) };
};
