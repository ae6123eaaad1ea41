import type { api } from '@tidings/contract';
import { AndroidContent, bytesOf, Content, IosContent, Preset } from '@tidings/events';
import { Fault } from '@tidings/kernel';
import { DENIED, FORBID } from '../../auth/authorize.ts';
import { standingToGroup } from '../../auth/reach.ts';
import type { Call, Context, Handler } from '../../context.ts';

/** So that a message that is made of it has room for texts and an audience of its own. */
const PRESET_BYTES = 1024 * 1024;

/** A group stands where an application may: it is authorised as one (R-T5). */
async function authorizeGroup(group: string, context: Context, call: Call): Promise<void> {
  const standing = await standingToGroup(context, call, group);
  if (standing === 'unknown') throw Fault.argument(DENIED);
  if (standing === 'restricted') throw Fault.forbidden(FORBID);
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
  if (bytesOf(Preset, preset).length > PRESET_BYTES) throw Fault.argument('content: at most 1 MiB');
  await context.presets.createPreset({ account: call.account, preset });
};
