import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';

export const listTestDevices: Handler<typeof api.listTestDevices> = async ({ application }, { accounts }) => {
  const { devices } = await accounts.listTestDevices({ application });
  return {
    TestDevices: devices.map(({ name, platform, pushToken, description, language }) => ({
      name,
      type: String(platform),
      pushtoken: pushToken,
      description,
      languages: language === '' ? [] : [language],
    })),
  };
};
