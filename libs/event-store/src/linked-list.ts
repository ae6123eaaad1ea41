/** An item of a {@link LinkedList}, with its links. */
export interface Linked<Item> {
  previous: Item | undefined;
  next: Item | undefined;
}

/**
 * Items in insertion order, removable in constant time. It is for endless insertions and removals: a `Set` makes a new table every few rounds, and
 * each old one points to the next. Once a full collection has moved an old table out of the young generation, all later tables and their former
 * entries stay alive until the next full collection.
 */
export class LinkedList<Item extends Linked<Item>> {
  #first: Item | undefined;
  #last: Item | undefined;
  #size = 0;

  get first(): Item | undefined {
    return this.#first;
  }

  get size(): number {
    return this.#size;
  }

  add(item: Item): void {
    item.previous = this.#last;
    if (this.#last) this.#last.next = item;
    else this.#first = item;
    this.#last = item;
    this.#size++;
  }

  /** Removes an item of this list; it has no links afterwards. */
  remove(item: Item): void {
    const { previous, next } = item;
    if (previous) previous.next = next;
    else this.#first = next;
    if (next) next.previous = previous;
    else this.#last = previous;
    item.previous = undefined;
    item.next = undefined;
    this.#size--;
  }
}
