import type { KeyObject } from 'node:crypto';
import type { Application } from '@tidings/audience';
import type { WebsiteVisitor } from '@tidings/channels';
import { type Clock, Fault } from '@tidings/kernel';
import type { Versioned } from '@tidings/registry-store';
import type { MasterKeys } from '@tidings/runtime';
import { websiteIn } from './files.ts';
import { openWebsite, type OpenedWebsite, packageOf, type Website } from './push-package.ts';

const MAX_OPEN = 32;

export interface PushPackages {
  of(application: Versioned<Application>, pushId: string, request: PackageRequest): Promise<Buffer | undefined>;
}

interface PackageRequest {
  readonly publicUrl: string;
  readonly visitor: WebsiteVisitor;
}

interface Entry {
  readonly rev: number;
  readonly website: Website;
  readonly opened: Promise<OpenedWebsite | undefined>;
  common: { readonly publicUrl: string; readonly archive: Promise<Buffer> } | undefined;
}

/** Callers are unauthenticated: costly parts, and failures, are made once per change of an application. */
export function openPushPackages({
  clock,
  masterKeys,
  visitorKey,
}: {
  readonly clock: Clock;
  readonly masterKeys: MasterKeys;
  readonly visitorKey: KeyObject;
}): PushPackages {
  const entries = new Map<string, Entry>();

  const opened = (application: Versioned<Application>): Entry => {
    const { code, rev } = application;
    const cached = entries.get(code);
    entries.delete(code);
    const entry = cached?.rev === rev ? cached : openedNow(application);
    entries.set(code, entry);
    const [oldest] = entries.keys();
    if (entries.size > MAX_OPEN && oldest !== undefined) entries.delete(oldest);
    return entry;
  };

  const openedNow = (application: Versioned<Application>): Entry => {
    const website = websiteIn(application, masterKeys);
    const entry: Entry = { rev: application.rev, website, opened: openWebsite(website), common: undefined };
    entry.opened.catch((error: unknown) => {
      const isTransient = error instanceof Fault && error.kind === 'unavailable';
      if (isTransient && entries.get(application.code) === entry) entries.delete(application.code);
    });
    return entry;
  };

  const archiveOf = ({ website }: Entry, of: OpenedWebsite, request: PackageRequest): Promise<Buffer> =>
    packageOf(website, of, { ...request, visitorKey, at: new Date(clock.now()) });

  return {
    async of(application, pushId, request) {
      const entry = opened(application);
      const website = await entry.opened;
      if (!website || website.pushId === '' || website.pushId !== pushId) return undefined;
      if (request.visitor.hwid !== undefined) return archiveOf(entry, website, request);
      const { publicUrl } = request;
      if (entry.common?.publicUrl !== publicUrl)
        entry.common = { publicUrl, archive: archiveOf(entry, website, request) };
      return entry.common.archive;
    },
  };
}
