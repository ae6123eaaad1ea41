import { getOrAdd } from './get-or-add.ts';
import type { DocumentAddress, SelfReport } from './event-log-port.ts';
import { checkValue, Unstorable } from './storable.ts';

export interface SelfReportUpdate {
  readonly clear?: true;
  readonly set: Map<string, unknown>;
  readonly max: Map<string, number | Date>;
  readonly add: Map<string, number>;
}

export interface SelfReportedDocument {
  readonly address: DocumentAddress;
  readonly updates: SelfReportUpdate[];
}

export function checkSelfReport(selfReport: SelfReport, selfReportedField: string | undefined): void {
  if (selfReportedField === undefined)
    throw new Unstorable('a self-report, but the definition has no selfReportedField');
  const { set = {}, max = {}, add = {} } = selfReport;
  for (const [path, value] of [set, max, add].flatMap((each) => Object.entries<unknown>(each))) {
    const names = path.split('.');
    if (names.some((name) => name === '' || name.startsWith('$') || name.includes('\0'))) {
      throw new Unstorable(`self-report path "${path}"`);
    }
    checkValue(value);
  }
}

export function mergeSelfReports(selfReports: readonly SelfReport[]): SelfReportedDocument[] {
  const documents = new Map<string, SelfReportedDocument>();
  for (const selfReport of selfReports) {
    const key = `${selfReport.address.collection}\0${selfReport.address.id}`;
    const document = getOrAdd(documents, key, () => ({ address: selfReport.address, updates: [] }));
    if (selfReport.clear) document.updates.splice(0, Infinity, { clear: true, ...nothing() });
    for (const [path, value] of Object.entries(selfReport.set ?? {}))
      if (value !== undefined) setIn(document, path, value);
    for (const [path, value] of Object.entries(selfReport.max ?? {}))
      if (value !== undefined) raiseIn(document, path, value);
    for (const [path, value] of Object.entries(selfReport.add ?? {})) addIn(document, path, value);
  }
  return [...documents.values()].filter((document) => document.updates.length > 0);
}

function setIn(document: SelfReportedDocument, path: string, value: unknown): void {
  const update = room(document, (last) => !overlaps(last, path) && !last.add.has(path));
  update.max.delete(path);
  update.set.set(path, value);
}

function raiseIn(document: SelfReportedDocument, path: string, value: number | Date): void {
  const fits = (last: SelfReportUpdate): boolean => {
    const current = last.max.get(path);
    const isOther = last.set.has(path) || last.add.has(path);
    return !overlaps(last, path) && !isOther && (current === undefined || typeof current === typeof value);
  };
  const update = room(document, fits);
  const current = update.max.get(path);
  if (current === undefined || value > current) update.max.set(path, value);
}

function addIn(document: SelfReportedDocument, path: string, value: number): void {
  const update = room(document, (last) => !overlaps(last, path) && !last.set.has(path) && !last.max.has(path));
  update.add.set(path, (update.add.get(path) ?? 0) + value);
}

const nothing = () => ({
  set: new Map<string, unknown>(),
  max: new Map<string, number | Date>(),
  add: new Map<string, number>(),
});

function room(document: SelfReportedDocument, fits: (last: SelfReportUpdate) => boolean): SelfReportUpdate {
  const last = document.updates.at(-1);
  if (last && !last.clear && fits(last)) return last;
  const update: SelfReportUpdate = nothing();
  document.updates.push(update);
  return update;
}

function overlaps(update: SelfReportUpdate, path: string): boolean {
  const within = (other: string): boolean => other.startsWith(`${path}.`) || path.startsWith(`${other}.`);
  for (const other of update.set.keys()) if (within(other)) return true;
  for (const other of update.max.keys()) if (within(other)) return true;
  for (const other of update.add.keys()) if (within(other)) return true;
  return false;
}

export function applySelfReports(before: Record<string, unknown>, update: SelfReportUpdate): Record<string, unknown> {
  const after = update.clear ? {} : structuredClone(before);
  for (const [path, value] of update.set) updateAt(after, path, () => value);
  for (const [path, value] of update.max) {
    updateAt(after, path, (current) => (current === undefined || value > (current as number | Date) ? value : current));
  }
  for (const [path, value] of update.add)
    updateAt(after, path, (current) => (typeof current === 'number' ? current : 0) + value);
  return after;
}

function updateAt(target: Record<string, unknown>, path: string, next: (current: unknown) => unknown): void {
  const names = path.split('.');
  const last = names.pop()!;
  let inner = target;
  for (const name of names) inner = (inner[name] ??= {}) as Record<string, unknown>;
  inner[last] = next(inner[last]);
}
