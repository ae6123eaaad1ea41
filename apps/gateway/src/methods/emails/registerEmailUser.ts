import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { commandOf } from '../devices/command.ts';

export const registerEmailUser: Handler<typeof api.registerEmailUser> = (input, { deviceCommands }, call) =>
  deviceCommands.submit(commandOf(call, input, { $case: 'register', value: input.device }));
