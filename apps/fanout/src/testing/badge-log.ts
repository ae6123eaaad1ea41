import { MAX_BADGE, TOKEN_BIT } from '@tidings/channels';
import { type BadgeCandidates, type Candidates, shownBadges } from '@tidings/delivery';
import { openMemoryLogs, MemoryStore } from '@tidings/event-store';
import { type BadgesAllotted, Content, IosContent, LocaleSettings } from '@tidings/events';
import { Bitmap, CHUNK_SIZE } from '@tidings/kernel';
import { APP } from '@tidings/registry-store/testing';
import { planLogOf, type PlanReply, plansLog } from '../plan/plan-log.ts';
import { platform } from './fanout-messages.ts';

const IOS = 1;
const CHUNK = 0;

export interface Scanned {
  readonly position: number;
  readonly base: number;
  readonly generation: number;
  readonly language?: string;
  readonly hasToken?: boolean;
}

function columnsOf(devices: readonly Scanned[]): Candidates & BadgeCandidates {
  const languageNames = [...new Set(['', ...devices.map(({ language = '' }) => language)])];
  return {
    count: devices.length,
    positions: Uint16Array.from(devices, ({ position }) => position),
    platforms: Uint8Array.from(devices, () => IOS),
    controlBuckets: Uint16Array.from(devices, () => 9_999),
    fields: Uint8Array.from(devices, ({ hasToken = true }) => (hasToken ? TOKEN_BIT : 0)),
    rowOf: (position) => devices.findIndex((each) => each.position === position),
    languages: Uint8Array.from(devices, ({ language = '' }) => languageNames.indexOf(language)),
    languageNames,
    badges: Int32Array.from(devices, ({ base }) => base),
    badgeGenerations: Float64Array.from(devices, ({ generation }) => generation),
  };
}

export const badgeContent = (badge: string, byLanguage: Readonly<Record<string, string>> = {}): Content => ({
  ...Content.create(),
  data: '{}',
  ios: { ...IosContent.create(), badge },
  settings: Object.entries(byLanguage).map(([language, own]) =>
    LocaleSettings.fromPartial({ language, ios: { badge: own } }),
  ),
});

export function badgeLog() {
  const store = new MemoryStore();
  let writer = openMemoryLogs(plansLog, { store });
  const keyOf = (message: string, bucket = 0) => {
    const key = { message, bucket, application: APP, chunk: CHUNK };
    return { key, of: { message, messageId: 1n, account: 'a' } };
  };
  const at = new Date(0);
  const allSet = Bitmap.of(Array.from({ length: CHUNK_SIZE }, (_, i) => i)).encode();
  const submit = (command: Parameters<typeof writer.submit>[1]): Promise<PlanReply> =>
    writer.submit(planLogOf(command.key), command);
  return {
    store,
    async restart(): Promise<void> {
      await writer.close();
      writer = openMemoryLogs(plansLog, { store });
    },
    async plan(
      message: string,
      content: Content,
      devices: readonly Scanned[],
      bucket = 0,
    ): Promise<Map<number, number>> {
      const candidates = columnsOf(devices);
      const application = { platforms: [{ ...platform(IOS), configured: true }], controlGroupPercentage: 0 };
      const rules = { chunk: CHUNK, named: true, transactional: false, platforms: [], content, application, at };
      const kind = 'plan' as const;
      const { key, of } = keyOf(message, bucket);
      const reply = await submit({
        kind,
        of,
        key,
        candidates,
        badges: candidates,
        rules,
        capping: undefined,
        isOnly: false,
      });
      return shownIn(reply!.badges!);
    },
    async fail(message: string, positions: readonly number[], bucket = 0): Promise<void> {
      const { key, of } = keyOf(message, bucket);
      await submit({
        kind: 'fail',
        of,
        key,
        failed: Bitmap.of(positions),
        counted: true,
        badged: allSet,
        plannedAt: at,
        at,
      });
    },
    async settle(message: string, bucket = 0): Promise<void> {
      await submit({ kind: 'settle', ...keyOf(message, bucket), badged: allSet, at });
    },
    close: () => writer.close(),
  };
}

function shownIn(badges: BadgesAllotted): Map<number, number> {
  const shown = shownBadges(badges);
  return new Map(Array.from(Bitmap.decode(badges.set).positions(), (position) => [position, shown(position)!]));
}

export const counted = (base: number, badges: readonly string[]): number =>
  badges.reduce((badge, change) => {
    const next = /^[+-]/.test(change) ? badge + Number(change) : Number(change);
    return Math.min(Math.max(0, next), MAX_BADGE);
  }, base);
