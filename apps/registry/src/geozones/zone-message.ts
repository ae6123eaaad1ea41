import { createHash } from 'node:crypto';
import { zoneTexts } from '@tidings/audience';
import { tagsOf } from '@tidings/channels';
import { type Content, type Geozone, MessageAccepted, type Preset } from '@tidings/events';
import { isShortenable, presetContent } from '@tidings/messaging';

const SOURCE = 'GEO_ZONE';
const DAY_MS = 86_400_000;

const dayOf = (at: Date): number => Math.floor(at.getTime() / DAY_MS);

/** All sends of a zone on a UTC day share a message (R-F5). */
export function zoneMessageCode(zone: Pick<Geozone, 'id'>, at: Date): string {
  const digits = createHash('sha256')
    .update(`geozone/${zone.id}/${dayOf(at)}`)
    .digest('hex')
    .toUpperCase();
  return `${digits.slice(0, 4)}-${digits.slice(4, 12)}-${digits.slice(12, 20)}`;
}

export function zoneMessage(
  zone: Geozone,
  preset: Preset | undefined,
  { seq, campaignId, at }: { readonly seq: number; readonly campaignId: bigint; readonly at: Date },
): { accepted: MessageAccepted; linkToShorten: string } {
  const presetFields = presetContent(preset);
  const content: Content = { ...presetFields, text: zone.content === '' ? presetFields.text : zoneTexts(zone.content) };
  const { link } = content;
  const shorten = preset?.shortenLink === true && link !== undefined && isShortenable(link);
  return {
    linkToShorten: shorten ? link : '',
    accepted: MessageAccepted.fromPartial({
      applications: [zone.application],
      sendAt: at,
      source: SOURCE,
      geozone: zone.id,
      openUntil: new Date((dayOf(at) + 1) * DAY_MS),
      campaignId,
      audience: {
        target: { $case: 'named', value: { seqs: [seq], byApplication: [] } },
        platforms: preset?.platforms ?? [],
      },
      content: { ...content, link: shorten ? undefined : link, tags: tagsOf(content) },
    }),
  };
}
