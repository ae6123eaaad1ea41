import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { commandOf } from './command.ts';

export const registerUser: Handler<typeof api.registerUser> = (input, { deviceCommands }, call) => {
  const { application, hwid, userId, tz_offset: timezoneSeconds } = input;
  const command = { $case: 'bindUser', value: { userId, timezoneSeconds } } as const;
  return deviceCommands.submit(commandOf(call, { application, hwid }, command));
};
