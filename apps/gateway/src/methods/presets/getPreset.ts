import type { api } from '@tidings/contract';
import type { Localized, Preset } from '@tidings/events';
import type { Handler } from '../../context.ts';
import { findPreset } from './find-preset.ts';

const mapOf = (localized: Localized | undefined): Record<string, string> =>
  Object.fromEntries((localized?.entries ?? []).map(({ language, text }) => [language, text]));

const objectOf = (json: string | undefined): unknown => (json === undefined ? undefined : JSON.parse(json));

/** What the preset says beside its text, by the names of createMessage; what it does not say is absent. */
function propertiesOf({ content, filter, richMedia, sendRate }: Preset): Record<string, unknown> {
  const { ios, android } = content ?? {};
  const said: Record<string, unknown> = {
    title: content?.title && mapOf(content.title),
    subtitle: content?.subtitle && mapOf(content.subtitle),
    ios_sound: ios?.sound,
    ios_silent: ios?.silent ? 1 : undefined,
    ios_ttl: ios?.ttlSeconds,
    ios_root_params: objectOf(ios?.rootParams),
    ios_interruption_level: ios?.interruptionLevel,
    android_root_params: objectOf(android?.rootParams),
    rich_media: richMedia || undefined,
    send_rate: sendRate || undefined,
    userdata: objectOf(content?.data),
  };
  const given = Object.entries(said).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(given), created_via: 'API', user_id: '', filter_code: filter };
}

export const getPreset: Handler<typeof api.getPreset> = async ({ code }, context, call) => {
  const preset = await findPreset(code, context, call);
  return {
    preset: {
      code: preset.code,
      name: preset.name,
      page_id: null,
      url: preset.content?.link ?? '',
      content: mapOf(preset.content?.text),
      properties: propertiesOf(preset),
      platforms: preset.platforms,
    },
  };
};
