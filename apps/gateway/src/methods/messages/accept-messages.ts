import { Fault } from '@tidings/kernel';
import type { CreatedMessage, Grant } from '@tidings/rpc';
import type { Call, Context } from '../../context.ts';
import { grantOf } from '../segments/grant.ts';
import { type MessageOptions, messageRequest } from './message-request.ts';
import { faultOf, type NamedMessage } from './refusals.ts';

export interface Messages {
  readonly applications: readonly string[];
  readonly group: string;
  readonly messages: readonly (NamedMessage & MessageOptions)[];
}

/** The messages may have been accepted (R-ER10). */
const UNKNOWN_OUTCOME = new Fault(
  'unavailable',
  'it is not known whether the messages were accepted. Repeat the request with the same transactionId: a message that has none may be sent twice',
  { internal: 'the scheduler did not answer in time', effect: 'possible' },
);

/** They may name applications that the caller may not use (R-T5, R-K4). */
const namesOthers = ({ notification: { recipients, preset, platformPresets = [] } }: NamedMessage): boolean =>
  recipients.kind === 'expression' || recipients.kind === 'structured' || preset !== '' || platformPresets.length > 0;

function unknownOutcome(error: unknown): unknown {
  const { kind, effect, message, internal } = Fault.from(error);
  if (kind !== 'unavailable' || effect === 'none') return error;
  return new Fault('unavailable', UNKNOWN_OUTCOME.message, {
    internal: internal ?? message,
    effect: 'possible',
    cause: error,
  });
}

/** All of them, in order, or none (R-I1). */
export async function acceptMessages(
  { applications, group, messages }: Messages,
  context: Pick<Context, 'access' | 'messages'>,
  call: Call,
): Promise<readonly CreatedMessage[]> {
  const { account, pending } = call;
  const grant: Grant | undefined = messages.some(namesOthers) ? await grantOf(call, context) : undefined;
  const requests = messages.map(({ notification, ...options }) => messageRequest(notification, options));
  if (performance.now() >= pending.deadline) throw new Fault('unavailable', 'Not served in time', { effect: 'none' });
  pending.late = UNKNOWN_OUTCOME;
  const request = { account, applications: [...applications], group, grant, messages: requests };
  const { messages: created, refusal } = await context.messages.accept(request).catch((error: unknown) => {
    throw unknownOutcome(error);
  });
  if (refusal) throw faultOf(refusal, messages);
  return created;
}
