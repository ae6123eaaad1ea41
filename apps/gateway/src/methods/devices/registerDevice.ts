import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { commandOf } from './command.ts';
import { checkDomain } from '../emails/check-domain.ts';

export const registerDevice: Handler<typeof api.registerDevice> = async (input, context, call) => {
  checkDomain(input.device, context);
  await context.deviceCommands.submit(commandOf(call, input, { $case: 'register', value: input.device }));
};
