import type { api } from '@tidings/contract';
import { AndroidContent, Content, IosContent } from '@tidings/events';
import type { Handler } from '../../context.ts';

export const createPreset: Handler<typeof api.createPreset> = async (input, { presets }, { account }) => {
  const { shortenLink, richMedia, ios, android, ...content } = input.content;
  const preset = {
    ...{ code: '', application: input.application, name: input.name, campaign: input.campaign },
    content: Content.fromPartial({
      ...content,
      ios: ios && IosContent.fromPartial(ios),
      android: android && AndroidContent.fromPartial(android),
    }),
    filter: input.filter,
    ...{ shortenLink, richMedia, platforms: input.platforms, sendRate: input.sendRate },
  };
  await presets.createPreset({ account, preset });
};
