import { Fault } from '@tidings/kernel';
import type { Call, Context } from '../../context.ts';

export async function applicationsOf(
  code: string,
  { messages, access }: Pick<Context, 'access' | 'messages'>,
  { account, credentials }: Call,
): Promise<readonly string[]> {
  const { message: found } = await messages.find({ account, code });
  const { hidden = true, applications = [] } = found?.message ?? {};
  if (hidden || !credentials) throw Fault.notFound('message not found');
  const { token, secret } = credentials;
  for (const application of applications) {
    if ((await access.accessTo(token, secret, application)).kind === 'granted') return applications;
  }
  throw Fault.notFound('message not found');
}
