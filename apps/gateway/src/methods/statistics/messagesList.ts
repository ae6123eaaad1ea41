import type { api, InputOf } from '@tidings/contract';
import type { Campaign } from '@tidings/events';
import { Fault } from '@tidings/kernel';
import type { ListMessagesReply, ListMessagesRequest, MessageView, Messages } from '@tidings/rpc';
import { hasAccess } from '../../auth/application-access.ts';
import type { Call, Context, Handler } from '../../context.ts';
import { listedMessage, showsSender } from './listed-message.ts';

type Input = InputOf<typeof api.messagesList>;

const DAY_MS = 86_400_000;
const LISTED_REACH_MS = 7 * DAY_MS;
const BROADCAST_REACH_MS = 365 * DAY_MS;

const MAX_SKIP = 2 ** 31 - 1;

const MAX_LARGE_REPLIES = 8;

function requestOf(input: Input, account: string, campaignId: bigint): ListMessagesRequest {
  return {
    account,
    application: input.application,
    platforms: input.platforms,
    createdFrom: input.createdFrom,
    createdBefore: input.createdBefore,
    campaignId,
    source: input.source ?? '',
    codes: input.codes,
    ids: input.ids.map(BigInt),
    listedRecipients: input.type === 'ALL' ? undefined : input.type === 'TRANSACTIONAL',
    skip: Math.min(input.page * input.perPage, MAX_SKIP),
    limit: input.perPage,
    withDetails: input.withDetails,
  };
}

interface MemoryBudget {
  replies: number;
}

/** The scheduler ends a large reply early; a message answered twice counts once. */
async function listWhole(
  messages: Messages,
  request: ListMessagesRequest,
  budget: MemoryBudget,
): Promise<ListMessagesReply> {
  const found = new Map<string, MessageView>();
  let { skip } = request;
  for (;;) {
    const { total, messages: views } = await messages.list({ ...request, skip, limit: request.limit - found.size });
    for (const view of views) found.set(view.code, view);
    skip += views.length;
    if (views.length === 0 || skip >= total || found.size >= request.limit) {
      return { total, messages: [...found.values()] };
    }
    if (++budget.replies > MAX_LARGE_REPLIES) {
      throw Fault.argument('per_page: the details of these messages exceed 64 MiB, ask for fewer');
    }
  }
}

/** Named recipients reach back a week, others a year (R-H3). */
async function listBoth(messages: Messages, request: ListMessagesRequest, now: number): Promise<ListMessagesReply> {
  const { skip, limit } = request;
  const border = new Date(now - LISTED_REACH_MS);
  const budget = { replies: 0 };
  const week = await listWhole(messages, { ...request, createdFrom: border }, budget);
  const rest = {
    ...request,
    listedRecipients: false,
    createdFrom: new Date(now - BROADCAST_REACH_MS),
    createdBefore: border,
    skip: Math.max(0, skip - Number(week.total)),
    // 0 would be no limit, and the total is needed.
    limit: Math.max(1, limit - week.messages.length),
  };
  const older = await listWhole(messages, rest, budget);
  return {
    total: week.total + older.total,
    messages: [...week.messages, ...older.messages].slice(0, limit),
  };
}

function list(messages: Messages, input: Input, request: ListMessagesRequest, now: number): Promise<ListMessagesReply> {
  const { createdFrom, createdBefore, codes, ids, type } = input;
  if (createdFrom || createdBefore || codes.length > 0 || ids.length > 0) {
    return listWhole(messages, request, { replies: 0 });
  }
  if (type === 'ALL') return listBoth(messages, request, now);
  const reach = type === 'TRANSACTIONAL' ? LISTED_REACH_MS : BROADCAST_REACH_MS;
  return listWhole(messages, { ...request, createdFrom: new Date(now - reach) }, { replies: 0 });
}

const noCampaign = (): Fault => Fault.argument('filters.campaign: not found');

async function campaignOf(code: string, context: Pick<Context, 'access' | 'presets'>, call: Call): Promise<Campaign> {
  const { campaign } = await context.presets.findCampaign({ account: call.account, code });
  if (!campaign || !(await hasAccess(context, call, campaign.application))) throw noCampaign();
  return campaign;
}

export const messagesList: Handler<
  typeof api.messagesList,
  'access' | 'applications' | 'clock' | 'messages' | 'presets' | 'statistics'
> = async (input, context, call) => {
  const { messages, statistics, clock } = context;
  const { account } = call;
  const campaign = input.campaign === undefined ? undefined : await campaignOf(input.campaign, context, call);
  const found = await list(messages, input, requestOf(input, account, campaign?.id ?? 0n), clock.now());
  // Only group messages relate an application to foreign campaigns (R-I2).
  if (campaign && campaign.application !== input.application && found.total === 0n) throw noCampaign();
  const codes = found.messages.map(({ code }) => code);
  const metrics = input.withMetrics && codes.length > 0 ? (await statistics.metrics({ messages: codes })).messages : [];
  const { senders } = found.messages.some(showsSender)
    ? await context.applications.listMailSenders({ application: input.application })
    : { senders: [] };
  return {
    total: Number(found.total),
    items: found.messages.map((view, index) =>
      listedMessage(view, input.withMetrics ? (metrics[index]?.platforms ?? []) : undefined, senders),
    ),
  };
};
