import type { Application } from '@tidings/audience';
import { type LogDefinition, openCommits, openRedaction, type IndexedEvent } from '@tidings/event-store';
import type { AccountEvent } from '@tidings/events/generated/tidings/events/v1/accounts';
import type { Clock } from '@tidings/kernel';
import { type ModelDefinition, modelOf } from '@tidings/mongo';
import { accountsModel, applicationsModel } from '@tidings/registry-store';
import { type DeploymentKeys, type Logger, reseal, type Resealing, resealingBy } from '@tidings/runtime';
import type { Db, Document } from 'mongodb';
import { stateOf } from './account-documents.ts';
import { type AccountCommand, accountLogOf } from './account-log.ts';
import type { AccountWriter } from './account-writer.ts';

export interface ResealingDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly keys: DeploymentKeys;
  readonly definition: Pick<
    LogDefinition<never, AccountEvent, never, never>,
    'category' | 'encode' | 'decode' | 'isKnown'
  >;
  readonly write: AccountWriter;
}

const PAGE = 100;

type Boxes = Readonly<Record<string, Uint8Array>>;

async function* pagesOf(db: Db, states: ModelDefinition, filter: object, signal: AbortSignal) {
  let after = '';
  while (!signal.aborted) {
    const page = await modelOf(db, states)
      .find({ ...filter, _id: { $gt: after } })
      .sort({ _id: 1 })
      .limit(PAGE)
      .lean<(Document & { readonly _id: string })[]>();
    yield page;
    if (page.length < PAGE) return;
    after = page.at(-1)!._id;
  }
}

type SealAnew = (application: string, boxes: Boxes) => Boxes | undefined;

/** A box that no key opens stays, and is logged once. */
function sealingAnew({ master }: DeploymentKeys, log: Logger): SealAnew {
  const unopened = new Set<string>();
  return (application, boxes) => {
    const changed = Object.entries(boxes).flatMap(([field, box]): [string, Uint8Array][] => {
      try {
        const sealed = reseal(master, { application, field }, box);
        return sealed ? [[field, sealed]] : [];
      } catch (error) {
        const place = `${application}/${field}`;
        if (!unopened.has(place))
          log.error({ application, field, err: error }, 'a sealed box opens with no master key');
        unopened.add(place);
        return [];
      }
    });
    return changed.length > 0 ? { ...boxes, ...Object.fromEntries(changed) } : undefined;
  };
}

const resealedEvents = (events: readonly AccountEvent[], anew: SealAnew): IndexedEvent<AccountEvent>[] =>
  events.flatMap((stored, index) => {
    const { event } = stored;
    if (event?.$case !== 'platformConfigured' && event?.$case !== 'platformResealed') return [];
    const boxes = anew(event.value.application, event.value.sealed);
    if (!boxes) return [];
    const sealed = Object.fromEntries(Object.entries(boxes).map(([field, box]) => [field, Buffer.from(box)]));
    const changed = { ...event, value: { ...event.value, sealed } } as typeof event;
    return [{ index, event: { ...stored, event: changed } }];
  });

export function openResealing({ db, clock, log, keys, definition, write }: ResealingDeps): Resealing | undefined {
  if (!keys.rotation) return undefined;
  const commits = openCommits(db, definition);
  const redaction = openRedaction(db, definition);
  const seen = new Map<string, number>();
  const anew = sealingAnew(keys, log);

  const resealStates = async (signal: AbortSignal): Promise<number> => {
    let found = 0;
    for await (const page of pagesOf(db, applicationsModel, { 'platforms.0': { $exists: true } }, signal)) {
      const commands = page.flatMap((document) => {
        const { account, code: application, platforms } = stateOf(document) as Application;
        return platforms.flatMap(({ platform, sealed: before }): AccountCommand[] => {
          const sealed = anew(application, before);
          if (!sealed) return [];
          const action = { type: 'resealPlatform', application, platform, before, sealed } as const;
          return [{ account, action, at: new Date(clock.now()) }];
        });
      });
      await Promise.all(commands.map(write));
      found += commands.length;
    }
    return found;
  };

  const resealLog = async (name: string, signal: AbortSignal): Promise<number> => {
    let found = 0;
    for (let isLast = false; !isLast && !signal.aborted;) {
      const page = await commits.after(name, seen.get(name) ?? 0, PAGE);
      const changed = page.map(({ log, position, events }) => ({
        log,
        position,
        events: resealedEvents(events, anew),
      }));
      await redaction.replace(changed);
      found += changed.reduce((sum, { events }) => sum + events.length, 0);
      if (page.length > 0) seen.set(name, page.at(-1)!.position);
      isLast = page.length < PAGE;
    }
    return found;
  };

  /** Applied commits must not need the previous key either. */
  const resealCommits = async (signal: AbortSignal): Promise<number> => {
    let found = 0;
    for await (const accounts of pagesOf(db, accountsModel, {}, signal)) {
      for (const { _id: account } of accounts) found += await resealLog(accountLogOf(account), signal);
    }
    return found;
  };

  return resealingBy({
    keys,
    log,
    service: 'registry',
    pass: async (signal) => (await resealStates(signal)) + (await resealCommits(signal)),
    reset: () => seen.clear(),
  });
}
