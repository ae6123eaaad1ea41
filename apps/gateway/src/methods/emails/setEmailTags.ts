import type { api } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import type { Handler } from '../../context.ts';
import { commandOf } from '../../devices/command.ts';

export const setEmailTags: Handler<typeof api.setEmailTags, 'deviceCommands' | 'devices' | 'tags'> = async (
  input,
  context,
  call,
) => {
  const { application, email, userId, tags } = input;
  const { account } = call;
  const { hwids } = await context.devices.findContacts({ account, application, email, userId });
  if (hwids.length === 0) throw Fault.argument('Email not found');
  const existing = new Set((await context.tags.listTags({ account })).tags.map(({ name }) => name));
  await context.deviceCommands.submitAll(
    call.pending,
    hwids.map((hwid) => commandOf(call, { application, hwid }, { $case: 'setTags', value: { tags } })),
  );
  return { skipped: Object.keys(tags).filter((name) => !existing.has(name)) };
};
