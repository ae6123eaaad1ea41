import type { LoadedDocuments, StateReader } from './documents.ts';
import { getOrAdd } from './get-or-add.ts';
import type { Needs } from './port.ts';
import type { LogStore } from './store.ts';

type ByName<T> = Map<string, T>;

/** Loads what is needed and not loaded yet: one query per collection, and one per looked-up field. */
export async function load<State>(
  store: LogStore,
  reader: StateReader<State>,
  needs: Iterable<Needs>,
  into: LoadedDocuments<State>,
): Promise<void> {
  const ids: ByName<Set<string>> = new Map();
  const lookups: ByName<ByName<Set<string>>> = new Map();
  for (const need of needs) {
    for (const address of need.ids ?? []) {
      if (!into.get(address)) getOrAdd(ids, address.collection, () => new Set()).add(address.id);
    }
    for (const { collection, field, value } of need.lookups ?? []) {
      getOrAdd(
        getOrAdd(lookups, collection, () => new Map()),
        field,
        () => new Set(),
      ).add(value);
    }
  }
  await Promise.all([
    store.readIndexes([...new Set([...ids.keys(), ...lookups.keys()])]),
    ...[...ids].map(([collection, wanted]) => loadById(store, collection, wanted, into)),
    ...[...lookups].flatMap(([collection, fields]) =>
      [...fields].map(([field, values]) => loadByValue(store, reader, { collection, field }, values, into)),
    ),
  ]);
}

async function loadById<State>(
  store: LogStore,
  collection: string,
  wanted: Set<string>,
  into: LoadedDocuments<State>,
): Promise<void> {
  for (const stored of await store.find(collection, '_id', [...wanted])) {
    const id = stored['_id'] as string;
    into.add({ collection, id }, stored);
    wanted.delete(id);
  }
  for (const id of wanted) into.add({ collection, id }, undefined);
}

async function loadByValue<State>(
  store: LogStore,
  reader: StateReader<State>,
  { collection, field }: { readonly collection: string; readonly field: string },
  values: Set<string>,
  into: LoadedDocuments<State>,
): Promise<void> {
  const found = (await store.find(collection, field, [...values])).map((stored) =>
    into.add({ collection, id: stored['_id'] as string }, stored),
  );
  if (reader.lookups?.[collection] === field) into.addLookup(collection, values, found);
}
