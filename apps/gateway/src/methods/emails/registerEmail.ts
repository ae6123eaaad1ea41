import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { checkPlatform } from '../devices/check-platform.ts';
import { commandOf } from '../devices/command.ts';

export const registerEmail: Handler<typeof api.registerEmail> = async (input, context, call) => {
  checkPlatform(input.device, context, call);
  await context.deviceCommands.submit(commandOf(call, input, { $case: 'register', value: input.device }));
};
