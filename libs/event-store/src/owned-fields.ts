import { Fault } from '@tidings/kernel';
import type { StoredFields } from './storable.ts';
import type { LogDefinition } from './event-log-port.ts';

type FieldOf<Document> = Document extends unknown ? Exclude<keyof Document & string, '_id' | 'rev'> : never;

export const fieldsOf = <Document>(fields: { readonly [Field in FieldOf<Document>]: true }): readonly string[] =>
  Object.keys(fields);

const NONE: ReadonlySet<string> = new Set();

export class OwnedFields {
  readonly #collections: ReadonlyMap<string, ReadonlySet<string>>;

  constructor({
    fields,
    selfReportedField,
  }: Pick<LogDefinition<never, never, never, never, never>, 'fields' | 'selfReportedField'>) {
    for (const name of Object.values(fields).flat()) {
      if (name === selfReportedField || !/^[^$.\0][^.\0]*$/.test(name))
        throw Fault.bug(`"${name}" cannot be a field of a state`);
    }
    this.#collections = new Map(Object.entries(fields).map(([collection, names]) => [collection, new Set(names)]));
  }

  of(collection: string): ReadonlySet<string> {
    return this.#collections.get(collection) ?? NONE;
  }

  among(collection: string, fields: Record<string, unknown>): Record<string, unknown> {
    const owned = this.of(collection);
    for (const name in fields) if (!owned.has(name)) return only(owned, fields);
    return fields;
  }

  unowned(collection: string, stored: StoredFields): StoredFields {
    const owned = this.of(collection);
    return Object.fromEntries(Object.entries(stored).filter(([name]) => !owned.has(name)));
  }
}

const only = (owned: ReadonlySet<string>, fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => owned.has(name)));
