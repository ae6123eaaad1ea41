import { Content, type Preset } from '@tidings/events';

/** The content of messages of a preset, with its deep link. */
export const presetContent = (preset: Preset | undefined): Content => ({
  ...(preset?.content ?? Content.fromPartial({})),
  deepLinkId: preset?.deepLinkId,
});
