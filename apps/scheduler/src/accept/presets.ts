import { Fault } from '@tidings/kernel';
import { MessageRefused, refusedEmailPreset, refuseFirst, type Refused } from '@tidings/messaging';
import { Platform } from '@tidings/kernel';
import type { MessageRequest, Presets as PresetsRpc, UsablePreset } from '@tidings/rpc';
import type { Acceptance, Entry } from './entry.ts';
import type { Presets } from './message-content.ts';

export interface UsedPresets extends Presets {
  readonly used: ReadonlyMap<string, UsablePreset>;
  readonly campaignId: bigint;
}

const codesIn = ({ preset, platformPresets }: MessageRequest): string[] =>
  [preset, ...platformPresets.map(({ code }) => code)].filter((code) => code !== '');

const notFound = (field: Refused['field'], entry?: number): Refused => ({ reason: 'notFound', field, entry });

function refusedNames(
  { preset, platformPresets, campaign }: MessageRequest,
  presets: ReadonlyMap<string, unknown>,
  campaigns: ReadonlyMap<string, unknown>,
): Refused | undefined {
  if (preset !== '' && !presets.has(preset)) return notFound('preset');
  const unknown = platformPresets.findIndex(({ code }) => !presets.has(code));
  if (unknown >= 0) return notFound('platformPreset', unknown);
  return campaign !== '' && !campaigns.has(campaign) ? notFound('campaign') : undefined;
}

export async function presetsOf(
  entries: readonly Entry[],
  { account, applications, group, grant }: Acceptance,
  registry: Pick<PresetsRpc, 'resolve'>,
): Promise<ReadonlyMap<Entry, UsedPresets>> {
  const codes = [...new Set(entries.flatMap(({ request }) => codesIn(request)))];
  const named = [...new Set(entries.map(({ request }) => request.campaign).filter((code) => code !== ''))];
  const found =
    codes.length + named.length > 0
      ? await registry.resolve({ account, applications, group, grant, presets: codes, campaigns: named })
      : { presets: [], campaigns: [], tooLarge: false };
  if (found.tooLarge) throw new MessageRefused({ notification: 0, reason: 'presetsTooLarge', field: 'request' });
  const presets = new Map(found.presets.map((each) => [each.preset?.code ?? '', each]));
  const campaigns = new Map(found.campaigns.map(({ code, id }) => [code, id]));
  refuseFirst(entries, ({ request }) => refusedNames(request, presets, campaigns));
  return new Map(
    entries.map((entry) => {
      const { preset: code, platformPresets, campaign } = entry.request;
      const own = presets.get(code);
      const byPlatform = platformPresets.map(({ platform, code: of }) => [platform, presets.get(of)!.preset!] as const);
      const campaignId = campaigns.get(campaign) ?? own?.campaignId ?? 0n;
      return [entry, { preset: own?.preset, byPlatform: new Map(byPlatform), used: presets, campaignId }];
    }),
  );
}

export function refusedPresets(
  { preset, platformPresets, needsEmailPreset }: MessageRequest,
  { used }: UsedPresets,
): Refused | undefined {
  const own = used.get(preset);
  const reason = needsEmailPreset && own ? refusedEmailPreset(own) : undefined;
  if (reason) return { reason, field: 'preset' };
  for (const [entry, { platform, code }] of platformPresets.entries()) {
    const refusal = platform === Platform.Email ? refusedEmailPreset(used.get(code)!) : undefined;
    if (refusal) return { reason: refusal, field: 'platformPreset', entry };
  }
  return undefined;
}

/** Missing campaigns are created, but not by repeats (R-RES5). */
export async function campaignsNamed(
  entries: readonly Entry[],
  { account, applications, refuseLate }: Acceptance,
  registry: Pick<PresetsRpc, 'nameCampaign'>,
): Promise<ReadonlyMap<string, bigint>> {
  const seen = new Set<string>();
  const ids = new Map<string, bigint>();
  for (const { request, transaction } of entries) {
    const isRepeat = transaction !== '' && seen.has(transaction);
    seen.add(transaction);
    const { campaignName: name } = request;
    if (isRepeat || name === '' || ids.has(name)) continue;
    refuseLate();
    const { campaign } = await registry.nameCampaign({ account, application: applications[0]!, name });
    if (!campaign) throw Fault.bug('the registry did not return a campaign');
    ids.set(name, campaign.id);
  }
  return ids;
}
