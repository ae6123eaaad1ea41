import { createHash } from 'node:crypto';
import { stat, unlink } from 'node:fs/promises';
import type { ApiClient } from '@tidings/client';
import { showProgress } from '../progress.ts';
import { Failure } from '../session.ts';
import { batchesOf, type Source } from './batches.ts';
import { type FailedRows, openFailedRows } from './failed-rows.ts';
import { formatFor, type FormatName } from './formats/formats.ts';
import {
  type Counts,
  type ImportState,
  newState,
  readState,
  resumedState,
  statePathOf,
  writeState,
} from './import-state.ts';
import { digestOf, openInput } from './input.ts';
import { type FieldMap, readMap, typesIn } from './map-file.ts';
import { missingTags, type Tag } from './plan.ts';
import { type Survey, survey } from './survey.ts';
import { tagTypes } from './tag-types.ts';
import { upload, type UploadDeps, type Uploaded } from './upload.ts';

/** The service registers one job of an application after the other. */
const JOBS_IN_FLIGHT = 3;

export interface ImportOptions {
  readonly from: FormatName;
  readonly app: string;
  readonly map?: string;
  readonly account?: string;
  readonly createTags?: boolean;
  readonly ignoreTags?: boolean;
  readonly again?: boolean;
  readonly adoptByToken?: boolean;
  /** Entries in a job; several jobs are in memory at once. */
  readonly batch: number;
}

export interface ImportDeps {
  readonly client: ApiClient;
  /** @throws Failure without an administrator token */
  readonly operator: () => ApiClient;
  readonly url: string;
  readonly isQuiet: boolean;
}

interface Prepared {
  readonly source: Omit<Source, 'isWanted' | 'batchRows'>;
  readonly map: FieldMap;
  readonly existing: ReadonlyMap<string, number>;
}

async function prepare(path: string, { from, app, map: mapPath }: ImportOptions, client: ApiClient): Promise<Prepared> {
  const map = mapPath === undefined ? {} : await readMap(mapPath);
  const input = await openInput(path);
  // Refuses an application that does not exist before the file is read; getApplication may wait for its count.
  await client.call('getCampaigns', { application: app, limit: 1 });
  const { tags } = await client.call('listTags');
  const existing = new Map(tags.map(({ name, type }) => [name, type]));
  return { source: { input, format: formatFor(from, map), context: { tags: existing } }, map, existing };
}

export interface Plan {
  readonly found: Survey;
  readonly missing: readonly Tag[];
}

async function planOf({ source, map, existing }: Prepared): Promise<Plan> {
  const found = await survey(source.input, source.format, source.context);
  return { found, missing: missingTags(found, existing, typesIn(map)) };
}

export const planImport = async (path: string, options: ImportOptions, { client }: ImportDeps): Promise<Plan> =>
  planOf(await prepare(path, options, client));

export interface ImportReport {
  readonly counts: Counts;
  readonly rows: number;
  readonly failedPath: string | undefined;
  /** Undefined: it was imported before. */
  readonly seconds: number | undefined;
  readonly importedRows: number;
  readonly finished: string;
}

function refuseMissingTags(missing: readonly Tag[], { createTags, ignoreTags }: ImportOptions, path: string): void {
  if (missing.length === 0 || createTags || ignoreTags) return;
  const names = missing.slice(0, 5).map(({ name, type }) => `${name} (${type})`);
  const more = missing.length > names.length ? ` and ${missing.length - names.length} others` : '';
  throw new Failure(
    `${path} has tags that the account lacks: ${names.join(', ')}${more}. --create-tags creates them, --ignore-tags imports the rest without them`,
  );
}

async function createTags(client: ApiClient, missing: readonly Tag[]): Promise<void> {
  for (const { name, type } of missing) await client.call('addTag', { tag: { name, type: tagTypes[type] } });
}

const plus = (counts: Counts, added: Uploaded): Counts => ({
  registered: counts.registered + added.registered,
  unsubscribed: counts.unsubscribed + added.unsubscribed,
  blacklisted: counts.blacklisted + added.blacklisted,
  skipped: counts.skipped + added.skipped,
  failed: counts.failed + added.failed,
  withoutSomeTags: counts.withoutSomeTags + added.withoutSomeTags,
});

interface Run {
  readonly deps: UploadDeps;
  readonly source: Source;
  readonly failedRows: FailedRows;
  readonly statePath: string;
  readonly onRows: (rows: number) => void;
}

/** Records batches in their order, so that an interrupted import resumes at the first one that is not recorded. */
async function uploadAll(
  { deps, source, failedRows, statePath, onRows }: Run,
  begun: ImportState,
): Promise<ImportState> {
  const pending: { readonly rows: number; readonly uploaded: Promise<Uploaded> }[] = [];
  let state = begun;
  const record = async (): Promise<void> => {
    const { rows, uploaded } = pending.shift()!;
    const added = await uploaded;
    const failedBytes = await failedRows.append(added.failedRows);
    state = { ...state, rows: state.rows + rows, failedBytes, counts: plus(state.counts, added) };
    await writeState(statePath, state);
    onRows(state.rows);
  };
  for await (const batch of batchesOf(source, begun.rows)) {
    const uploaded = upload(deps, batch);
    // It is awaited in its turn.
    uploaded.catch(() => undefined);
    pending.push({ rows: batch.length, uploaded });
    if (pending.length >= JOBS_IN_FLIGHT) await record();
  }
  while (pending.length > 0) await record();
  return state;
}

const optionsDigest = (options: ImportOptions, map: FieldMap, url: string): string => {
  const { from, app, account, ignoreTags, adoptByToken } = options;
  return createHash('sha256')
    .update(JSON.stringify([from, app, account, ignoreTags ?? false, adoptByToken ?? false, map, url]))
    .digest('hex');
};

const failedPathOf = (path: string): string => `${path}.failed.csv`;

const reportOf = (state: ImportState, path: string, run?: { seconds: number; importedRows: number }): ImportReport => ({
  counts: state.counts,
  rows: state.rows,
  failedPath: state.failedBytes > 0 ? failedPathOf(path) : undefined,
  seconds: run?.seconds,
  importedRows: run?.importedRows ?? 0,
  finished: state.finished ?? '',
});

/** Registers the rows of a file by bulk jobs; a file that is imported already is left alone. */
export async function importFile(path: string, options: ImportOptions, deps: ImportDeps): Promise<ImportReport> {
  const { client, isQuiet } = deps;
  const started = performance.now();
  const prepared = await prepare(path, options, client);
  const statePath = statePathOf(path);
  const beginning = { file: await digestOf(path), options: optionsDigest(options, prepared.map, deps.url) };
  const begun = options.again ? newState(beginning) : resumedState(await readState(statePath), beginning, path);
  if (begun.finished !== undefined) return reportOf(begun, path);

  const { found, missing } = await planOf(prepared);
  refuseMissingTags(missing, options, path);
  const admin = found.blacklisted > 0 ? deps.operator() : client;
  if (options.createTags && !options.ignoreTags) await createTags(client, missing);

  const lacking = new Set(options.ignoreTags ? missing.map(({ name }) => name) : []);
  const failedRows = await openFailedRows(failedPathOf(path), found.columns, begun.failedBytes);
  const progress = showProgress('Importing', isQuiet, { showsRate: true });
  try {
    progress.set(begun.rows, found.rows);
    const run = {
      deps: {
        client: admin,
        application: options.app,
        account: options.account,
        adoptByToken: options.adoptByToken ?? false,
      },
      source: { ...prepared.source, isWanted: (tag: string) => !lacking.has(tag), batchRows: options.batch },
      failedRows,
      statePath,
      onRows: (rows: number) => progress.set(rows, found.rows),
    };
    const ended = await uploadAll(run, begun);
    const state = { ...ended, finished: new Date().toISOString() };
    await writeState(statePath, state);
    const seconds = (performance.now() - started) / 1_000;
    return reportOf(state, path, { seconds, importedRows: state.rows - begun.rows });
  } finally {
    progress.stop();
    await failedRows.close();
    if ((await stat(failedRows.path)).size === 0) await unlink(failedRows.path);
  }
}
