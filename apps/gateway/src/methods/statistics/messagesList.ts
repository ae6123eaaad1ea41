import type { api, InputOf } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import type { ListMessagesReply, ListMessagesRequest, Messages, MessageView } from '@tidings/rpc';
import type { Handler } from '../../context.ts';
import { listedMessage } from './listed-message.ts';

type Input = InputOf<typeof api.messagesList>;

const DAY_MS = 86_400_000;
/** How far back a request without dates, codes and ids reaches (R-H3). */
const LISTED_REACH_MS = 7 * DAY_MS;
const BROADCAST_REACH_MS = 365 * DAY_MS;

function requestOf(input: Input, account: string): ListMessagesRequest {
  return {
    account,
    application: input.application,
    platforms: input.platforms,
    createdFrom: input.createdFrom,
    createdBefore: input.createdBefore,
    campaign: '',
    source: input.source ?? '',
    codes: input.codes,
    ids: input.ids.map(BigInt),
    listedRecipients: input.type === 'ALL' ? undefined : input.type === 'TRANSACTIONAL',
    skip: input.page * input.perPage,
    limit: input.perPage,
    withDetails: input.withDetails,
  };
}

const newestFirst = (a: MessageView, b: MessageView): number =>
  (b.createdAt?.getTime() ?? 0) - (a.createdAt?.getTime() ?? 0) || Number(b.id - a.id);

/** Messages to named recipients of the last week and all others of the last year, as one list (R-H3: the union of both). */
async function listBoth(messages: Messages, request: ListMessagesRequest, now: number): Promise<ListMessagesReply> {
  const { skip, limit } = request;
  const whole = { ...request, skip: 0, limit: skip + limit };
  const parts = await Promise.all([
    messages.list({ ...whole, listedRecipients: true, createdFrom: new Date(now - LISTED_REACH_MS) }),
    messages.list({ ...whole, listedRecipients: false, createdFrom: new Date(now - BROADCAST_REACH_MS) }),
  ]);
  return {
    total: parts.reduce((sum, { total }) => sum + total, 0n),
    messages: parts
      .flatMap((part) => part.messages)
      .sort(newestFirst)
      .slice(skip, skip + limit),
  };
}

function list(messages: Messages, input: Input, account: string, now: number): Promise<ListMessagesReply> {
  const request = requestOf(input, account);
  const { createdFrom, createdBefore, codes, ids, type } = input;
  if (createdFrom || createdBefore || codes.length > 0 || ids.length > 0) return messages.list(request);
  if (type === 'ALL') return listBoth(messages, request, now);
  const reach = type === 'TRANSACTIONAL' ? LISTED_REACH_MS : BROADCAST_REACH_MS;
  return messages.list({ ...request, createdFrom: new Date(now - reach) });
}

export const messagesList: Handler<typeof api.messagesList> = async (
  input,
  { messages, statistics, clock },
  { account },
) => {
  // No campaign exists yet, so none can be known (R-RES5).
  if (input.campaign !== undefined) throw Fault.argument('filters.campaign: not found');
  const found = await list(messages, input, account, clock.now());
  const codes = found.messages.map(({ code }) => code);
  const metrics = input.withMetrics && codes.length > 0 ? (await statistics.metrics({ messages: codes })).messages : [];
  return {
    total: Number(found.total),
    items: found.messages.map((view, index) =>
      listedMessage(view, input.withMetrics ? (metrics[index]?.platforms ?? []) : undefined),
    ),
  };
};
