import type { api } from '@tidings/contract';
import { AndroidContent, Content, IosContent } from '@tidings/events';
import { Fault } from '@tidings/kernel';
import type { Handler } from '../../context.ts';

export const createPreset: Handler<typeof api.createPreset> = async (input, { presets }, { account }) => {
  // Segments cannot be made yet, so none can be known (R-K1).
  if (input.filter !== '') throw Fault.argument('segmentation.filter: not found');
  const { shortenLink, richMedia, ios, android, ...content } = input.content;
  const preset = {
    ...{ code: '', application: input.application, name: input.name, campaign: input.campaign, filter: '' },
    content: Content.fromPartial({
      ...content,
      ios: ios && IosContent.fromPartial(ios),
      android: android && AndroidContent.fromPartial(android),
    }),
    ...{ shortenLink, richMedia, platforms: input.platforms, sendRate: input.sendRate },
  };
  await presets.createPreset({ account, preset });
};
