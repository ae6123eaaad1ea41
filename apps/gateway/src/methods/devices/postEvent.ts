import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { commandOf } from './command.ts';
import { unlessUnknown } from './unknown-device.ts';

export const postEvent: Handler<typeof api.postEvent> = async (input, { deviceCommands }, call) => {
  const { event: name, amount, currency } = input;
  const command = commandOf(call, input, { $case: 'occur', value: { name, amount, currency, purchase: undefined } });
  await unlessUnknown(deviceCommands.submit(command));
  return { code: '', required: false, message_hash: '' };
};

export const eventApiPostEvent: Handler<typeof api.eventApiPostEvent> = postEvent;
