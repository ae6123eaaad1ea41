/** What stands in a {@link LinkedList} carries its place there. */
export interface Linked<Item> {
  previous: Item | undefined;
  next: Item | undefined;
}

/**
 * Items in the order in which they came, each removed at once wherever it stands. For what comes and goes without end: a `Set` makes a new
 * table every few rounds, and each old one points to the next. Once a full collection has moved one of them out of the young generation,
 * all tables after it stay alive until the next full collection, with everything that was ever in them.
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

  /** Removes an item that is in this list; it points to no other afterwards. */
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
