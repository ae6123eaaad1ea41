import type { LoadedDocuments, StateReader } from './documents.ts';
import { getOrAdd } from './get-or-add.ts';
import type { Lookup, Needs } from './event-log-port.ts';
import type { LogStore } from './log-store.ts';

type ByName<T> = Map<string, T>;

type Values = ByName<string[]>;

export async function load<State>(
  store: LogStore,
  reader: StateReader<State>,
  needs: Iterable<Needs>,
  into: LoadedDocuments<State>,
): Promise<void> {
  const ids: ByName<Set<string>> = new Map();
  const lookups: ByName<ByName<Values>> = new Map();
  for (const need of needs) {
    for (const address of need.ids ?? []) {
      if (!into.get(address)) getOrAdd(ids, address.collection, () => new Set()).add(address.id);
    }
    for (const lookup of need.lookups ?? []) addLookup(lookups, lookup);
    for (const address of need.created ?? []) into.presumeAbsent(address);
  }
  await Promise.all([
    store.readIndexes([...new Set([...ids.keys(), ...lookups.keys()])]),
    ...[...ids].map(([collection, requested]) => loadById(store, collection, requested, into)),
    ...[...lookups].flatMap(([collection, fields]) =>
      [...fields].map(([field, values]) => loadByValue(store, reader, { collection, field }, values, into)),
    ),
  ]);
}

function addLookup(lookups: ByName<ByName<Values>>, { collection, field, value, ids }: Lookup): void {
  const fields = getOrAdd(lookups, collection, () => new Map());
  const values = getOrAdd(fields, field, () => new Map());
  const found = getOrAdd(values, value, () => []);
  if (ids) found.push(...ids);
}

async function loadById<State>(
  store: LogStore,
  collection: string,
  requested: Set<string>,
  into: LoadedDocuments<State>,
): Promise<void> {
  for (const stored of await store.find(collection, '_id', [...requested])) {
    const id = stored['_id'] as string;
    into.add({ collection, id }, stored);
    requested.delete(id);
  }
  for (const id of requested) into.add({ collection, id }, undefined);
}

async function loadByValue<State>(
  store: LogStore,
  reader: StateReader<State>,
  { collection, field }: { readonly collection: string; readonly field: string },
  values: Values,
  into: LoadedDocuments<State>,
): Promise<void> {
  const found = (await store.find(collection, field, [...values.keys()])).map((stored) =>
    into.add({ collection, id: stored['_id'] as string }, stored),
  );
  for (const ids of values.values()) for (const id of ids) into.add({ collection, id }, undefined);
  if (reader.lookups?.[collection] === field) into.addLookup(collection, values.keys(), found);
}
