import { Content, type Preset } from '@tidings/events';

export const presetContent = (preset: Preset | undefined): Content => ({
  ...(preset?.content ?? Content.fromPartial({})),
  deepLinkId: preset?.deepLinkId,
});
