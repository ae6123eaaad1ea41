import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { commandOf } from '../../devices/command.ts';

export const registerUser: Handler<typeof api.registerUser, 'deviceCommands'> = (input, { deviceCommands }, call) => {
  const { userId, tz_offset: timezoneSeconds, ...device } = input;
  const command = { $case: 'bindUser', value: { userId, timezoneSeconds } } as const;
  return deviceCommands.submit(call.pending, commandOf(call, device, command));
};
