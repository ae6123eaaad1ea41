import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { commandOf } from '../../devices/command.ts';
import { unlessUnknown } from '../../devices/unknown-device.ts';

export const postEvent: Handler<typeof api.postEvent, 'deviceCommands'> = async (input, { deviceCommands }, call) => {
  const { event: name, amount, currency, attributes, happenedAt, localAt } = input;
  const value = { name, amount, currency, attributes, happenedAt, localAt, purchase: undefined };
  const command = commandOf(call, input, { $case: 'recordEvent', value });
  await unlessUnknown(deviceCommands.submit(call.pending, command));
  return { code: '', required: false, message_hash: '' };
};

export const eventApiPostEvent: Handler<typeof api.eventApiPostEvent, 'deviceCommands'> = postEvent;
