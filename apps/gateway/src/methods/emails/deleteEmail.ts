import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { commandOf } from '../../devices/command.ts';

export const deleteEmail: Handler<typeof api.deleteEmail, 'deviceCommands' | 'devices'> = async (
  input,
  { devices, deviceCommands },
  call,
) => {
  const { application, email } = input;
  const { hwids } = await devices.findContacts({ account: call.account, application, email });
  await deviceCommands.submitAll(
    call.pending,
    hwids.map((hwid) => commandOf(call, { application, hwid }, { $case: 'erase', value: {} })),
  );
};
