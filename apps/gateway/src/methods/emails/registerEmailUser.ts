import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { checkPlatform } from '../devices/check-platform.ts';
import { commandOf } from '../devices/command.ts';

export const registerEmailUser: Handler<typeof api.registerEmailUser> = async (input, context, call) => {
  checkPlatform(input.device, context, call);
  await context.deviceCommands.submit(commandOf(call, input, { $case: 'register', value: input.device }));
};
