import type { StoredFields } from './storable.ts';
import type { LogDefinition } from './event-log-port.ts';

type FieldOf<Document> = Document extends unknown ? Exclude<keyof Document & string, '_id' | 'rev'> : never;

/** The fields of a state's document, for `LogDefinition.fields`: the compiler checks that none is missing; for a union, those of all its members. */
export const fieldsOf = <Document>(fields: { readonly [Field in FieldOf<Document>]: true }): readonly string[] =>
  Object.keys(fields);

/** The fields of a definition's states that this version writes. Other fields of a document belong to a newer version (ADR 27). */
export class OwnedFields {
  readonly #collections: ReadonlyMap<string, ReadonlySet<string>>;

  constructor({ fields }: Pick<LogDefinition<never, never, never, never, never>, 'fields'>) {
    this.#collections = new Map(Object.entries(fields).map(([collection, names]) => [collection, new Set(names)]));
  }

  has(collection: string, name: string): boolean {
    return this.#collections.get(collection)?.has(name) ?? false;
  }

  /** A state's own fields: it may carry others from the document that it was read from. */
  among(collection: string, fields: Record<string, unknown>): Record<string, unknown> {
    for (const name in fields) if (!this.has(collection, name)) return this.#only(collection, fields);
    return fields;
  }

  /** The fields of a document that this version does not own. */
  foreign(collection: string, stored: StoredFields): StoredFields {
    return Object.fromEntries(Object.entries(stored).filter(([name]) => !this.has(collection, name)));
  }

  #only(collection: string, fields: Record<string, unknown>): Record<string, unknown> {
    return Object.fromEntries(Object.entries(fields).filter(([name]) => this.has(collection, name)));
  }
}
