import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { commandOf } from '../devices/command.ts';
import { checkDomain } from './check-domain.ts';

export const registerEmail: Handler<typeof api.registerEmail> = async (input, context, call) => {
  checkDomain(input.device, context);
  await context.deviceCommands.submit(commandOf(call, input, { $case: 'register', value: input.device }));
};
