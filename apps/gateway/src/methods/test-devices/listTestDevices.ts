import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { wholeList } from '../whole-list.ts';

export const listTestDevices: Handler<typeof api.listTestDevices, 'testDevices'> = async (
  { application },
  { testDevices },
) => {
  const devices = await wholeList(
    async (after) => {
      const { devices: entries, next } = await testDevices.listTestDevices({ application, after });
      return { entries, next };
    },
    ({ pushToken, name, description }) => pushToken.length + name.length + description.length,
  );
  return {
    TestDevices: devices.map(({ name, platform, pushToken, description, language, unconfirmed }) => ({
      name,
      type: String(platform),
      pushtoken: pushToken,
      description,
      languages: language === '' ? [] : [language],
      confirmed: !unconfirmed,
    })),
  };
};
