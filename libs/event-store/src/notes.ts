import { getOrAdd } from './get-or-add.ts';
import type { DocumentAddress, Note } from './event-log-port.ts';
import { checkValue, Unstorable } from './storable.ts';

/** What notes do to one document in one write; the paths lie below the notes field, and none lies within another. */
export interface NoteUpdate {
  /** Removes all notes, and does nothing else. */
  readonly clear?: true;
  readonly set: Map<string, unknown>;
  readonly max: Map<string, number | Date>;
}

/** The notes of a group on one document: usually one write, more where later notes touch a path above or below an earlier one. */
export interface NotedDocument {
  readonly address: DocumentAddress;
  readonly updates: NoteUpdate[];
}

/** Throws {@link Unstorable} for a note that the store would refuse. */
export function checkNote(note: Note, notesField: string | undefined): void {
  if (notesField === undefined) throw new Unstorable('a note, but the definition has no notesField');
  for (const [path, value] of [...Object.entries(note.set ?? {}), ...Object.entries(note.max ?? {})]) {
    const names = path.split('.');
    if (names.some((name) => name === '' || name.startsWith('$') || name.includes('\0'))) {
      throw new Unstorable(`note path "${path}"`);
    }
    checkValue(value);
  }
}

/** Merges notes per document, in order: the last `set` and the largest `max` of a path win. */
export function mergeNotes(notes: readonly Note[]): NotedDocument[] {
  const documents = new Map<string, NotedDocument>();
  for (const note of notes) {
    const key = `${note.address.collection}\0${note.address.id}`;
    const document = getOrAdd(documents, key, () => ({ address: note.address, updates: [] }));
    if (note.clear) document.updates.splice(0, Infinity, { clear: true, set: new Map(), max: new Map() });
    for (const [path, value] of Object.entries(note.set ?? {})) if (value !== undefined) setIn(document, path, value);
    for (const [path, value] of Object.entries(note.max ?? {})) if (value !== undefined) raiseIn(document, path, value);
  }
  return [...documents.values()].filter((document) => document.updates.length > 0);
}

function setIn(document: NotedDocument, path: string, value: unknown): void {
  const update = room(document, (last) => !overlaps(last, path));
  update.max.delete(path);
  update.set.set(path, value);
}

function raiseIn(document: NotedDocument, path: string, value: number | Date): void {
  const fits = (last: NoteUpdate): boolean => {
    const known = last.max.get(path);
    return !overlaps(last, path) && !last.set.has(path) && (known === undefined || typeof known === typeof value);
  };
  const update = room(document, fits);
  const known = update.max.get(path);
  if (known === undefined || value > known) update.max.set(path, value);
}

/** The last update if it can take more, else a new one. */
function room(document: NotedDocument, fits: (last: NoteUpdate) => boolean): NoteUpdate {
  const last = document.updates.at(-1);
  if (last && !last.clear && fits(last)) return last;
  const update: NoteUpdate = { set: new Map(), max: new Map() };
  document.updates.push(update);
  return update;
}

function overlaps(update: NoteUpdate, path: string): boolean {
  const within = (other: string): boolean => other.startsWith(`${path}.`) || path.startsWith(`${other}.`);
  for (const other of update.set.keys()) if (within(other)) return true;
  for (const other of update.max.keys()) if (within(other)) return true;
  return false;
}

/** A sub-document with the notes, where there was none, or over those that were there. */
export function applyNotes(before: Record<string, unknown>, update: NoteUpdate): Record<string, unknown> {
  const after = update.clear ? {} : structuredClone(before);
  for (const [path, value] of update.set) place(after, path, () => value);
  for (const [path, value] of update.max) {
    place(after, path, (known) => (known === undefined || value > (known as number | Date) ? value : known));
  }
  return after;
}

function place(target: Record<string, unknown>, path: string, next: (known: unknown) => unknown): void {
  const names = path.split('.');
  const last = names.pop()!;
  let inner = target;
  for (const name of names) inner = (inner[name] ??= {}) as Record<string, unknown>;
  inner[last] = next(inner[last]);
}
