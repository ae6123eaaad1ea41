import type { api } from '@tidings/contract';
import { AndroidContent, Content, IosContent } from '@tidings/events';
import { authorizeGroup } from '../../auth/application-access.ts';
import type { Handler } from '../../context.ts';

export const createPreset: Handler<typeof api.createPreset, 'access' | 'accounts' | 'presets'> = async (
  input,
  context,
  call,
) => {
  if (input.group !== '') await authorizeGroup(context, call, input.group);
  const { shortenLink, deepLinkId, ios, android, ...content } = input.content;
  const preset = {
    code: '',
    application: input.application,
    group: input.group,
    name: input.name,
    campaign: input.campaign,
    content: Content.fromPartial({
      ...content,
      ios: ios && IosContent.fromPartial(ios),
      android: android && AndroidContent.fromPartial(android),
    }),
    filter: input.filter,
    shortenLink,
    deepLinkId,
    platforms: input.platforms,
    sendRate: input.sendRate,
  };
  await context.presets.createPreset({ account: call.account, preset });
};
