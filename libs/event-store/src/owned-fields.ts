import { Fault } from '@tidings/kernel';
import type { StoredFields } from './storable.ts';
import type { LogDefinition } from './event-log-port.ts';

type FieldOf<Document> = Document extends unknown ? Exclude<keyof Document & string, '_id' | 'rev'> : never;

/** The fields of a state's document, for `LogDefinition.fields`, of all members of a union: the compiler checks that none is missing. */
export const fieldsOf = <Document>(fields: { readonly [Field in FieldOf<Document>]: true }): readonly string[] =>
  Object.keys(fields);

const NONE: ReadonlySet<string> = new Set();

/** The fields of a definition's states that this version writes. Other fields of a document belong to a newer version (ADR 27). */
export class OwnedFields {
  readonly #collections: ReadonlyMap<string, ReadonlySet<string>>;

  /** @throws Fault `bug` for a name that MongoDB 4.0 cannot store at the top of a document, and for the self-reported field */
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

  /** A state's own fields: it may carry others from the document that it was read from. */
  among(collection: string, fields: Record<string, unknown>): Record<string, unknown> {
    const owned = this.of(collection);
    for (const name in fields) if (!owned.has(name)) return only(owned, fields);
    return fields;
  }

  /** The fields of a document that this version does not own. */
  foreign(collection: string, stored: StoredFields): StoredFields {
    const owned = this.of(collection);
    return Object.fromEntries(Object.entries(stored).filter(([name]) => !owned.has(name)));
  }
}

const only = (owned: ReadonlySet<string>, fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => owned.has(name)));
