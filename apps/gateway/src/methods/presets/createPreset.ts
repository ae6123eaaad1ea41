import type { api } from '@tidings/contract';
import { AndroidContent, Content, IosContent } from '@tidings/events';
import { Fault } from '@tidings/kernel';
import { DENIED, FORBID } from '../../auth/authorize.ts';
import { accessToGroup } from '../../auth/application-access.ts';
import type { Call, Context, Handler } from '../../context.ts';

/** A group may take the place of an application: it is authorized like one (R-T5). */
async function authorizeGroup(group: string, context: Context, call: Call): Promise<void> {
  const groupAccess = await accessToGroup(context, call, group);
  if (groupAccess === 'unknown') throw Fault.argument(DENIED);
  if (groupAccess === 'restricted') throw Fault.forbidden(FORBID);
}

export const createPreset: Handler<typeof api.createPreset> = async (input, context, call) => {
  if (input.group !== '') await authorizeGroup(input.group, context, call);
  const { shortenLink, deepLinkId, richMedia, ios, android, ...content } = input.content;
  const preset = {
    ...{ code: '', application: input.application, group: input.group, name: input.name, campaign: input.campaign },
    content: Content.fromPartial({
      ...content,
      ios: ios && IosContent.fromPartial(ios),
      android: android && AndroidContent.fromPartial(android),
    }),
    filter: input.filter,
    ...{ shortenLink, deepLinkId, richMedia, platforms: input.platforms, sendRate: input.sendRate },
  };
  await context.presets.createPreset({ account: call.account, preset });
};
