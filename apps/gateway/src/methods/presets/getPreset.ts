import type { api } from '@tidings/contract';
import type { IosContent, Localized, Preset } from '@tidings/events';
import type { Handler } from '../../context.ts';
import { parseVerbatim } from '../../json/exact-numbers.ts';
import { findPreset } from './find-preset.ts';

const mapOf = (localized: Localized | undefined): Record<string, string> =>
  Object.fromEntries((localized?.entries ?? []).map(({ language, text }) => [language, text]));

const valueOf = (json: string | undefined): unknown => (json === undefined ? undefined : parseVerbatim(json));

const iosOf = (ios: IosContent | undefined) => ({
  ios_sound: ios?.sound,
  ios_silent: ios?.silent === undefined ? undefined : Number(ios.silent),
  ios_ttl: ios?.ttlSeconds,
  ios_root_params: valueOf(ios?.rootParams),
  ios_interruption_level: ios?.interruptionLevel,
});

function propertiesOf({ content, filter, ...preset }: Preset): Record<string, unknown> {
  const shortened = content?.link === undefined ? undefined : 2;
  const values: Record<string, unknown> = {
    title: content?.title && mapOf(content.title),
    subtitle: content?.subtitle && mapOf(content.subtitle),
    ...iosOf(content?.ios),
    android_root_params: valueOf(content?.android?.rootParams),
    minimize_link: preset.shortenLink ? shortened : 0,
    deep_link_id: preset.deepLinkId === undefined ? undefined : Number(preset.deepLinkId),
    deep_link_params: valueOf(content?.deepLinkParams),
    rich_media: content?.richMedia,
    send_rate: preset.sendRate || undefined,
    userdata: valueOf(content?.data),
  };
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(given), created_via: 'API', user_id: '', filter_code: filter };
}

export const getPreset: Handler<typeof api.getPreset, 'access' | 'accounts' | 'presets'> = async (
  { code },
  context,
  call,
) => {
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
