import type { api } from '@tidings/contract';
import { Fault, Refusal } from '@tidings/kernel';
import { namesIn, parse } from '@tidings/segments';
import { authorizeAll } from '../../auth/application-access.ts';
import type { Handler } from '../../context.ts';
import { acceptMessages } from './accept-messages.ts';
import type { Paths } from './paths.ts';

const FILTER = 'devices_filter';
const MAX_APPLICATIONS = 1000;

const paths: Paths = { message: '', of: (field) => (field === 'expression' ? FILTER : field) };

function applicationsIn(source: string): readonly string[] {
  try {
    return [...namesIn(parse(source)).applications];
  } catch (thrown) {
    if (thrown instanceof Refusal) throw Fault.argument(`${FILTER}: ${thrown.message}`);
    throw thrown;
  }
}

export const createTargetedMessage: Handler<typeof api.createTargetedMessage, 'access' | 'messages'> = async (
  notification,
  context,
  call,
) => {
  const { recipients } = notification;
  const applications = recipients.kind === 'expression' ? applicationsIn(recipients.source) : [];
  if (applications.length === 0) throw Fault.argument(`${FILTER}: an application condition is required`);
  if (applications.length > MAX_APPLICATIONS)
    throw Fault.argument(`${FILTER}: at most ${MAX_APPLICATIONS} applications`);
  await authorizeAll(context, call, applications);
  const messages = [{ notification, paths }];
  const [created] = await acceptMessages({ applications, group: '', messages }, context, call);
  return { messageCode: created!.answer };
};
