import { hashBytes } from './grow.ts';

const ROWS = 1 << 14;
const LONGEST = 255;

/** The columns of one row, copied on append; empty strings take no space. */
export interface Row {
  token: number;
  message: number;
  /** Milliseconds since 1970. */
  at: number;
  status: number;
  reason: number;
  collapseId: string;
  /** The id chosen by the sender. */
  id: string;
  /** The statistics hash after the part that identifies the message. */
  tail: string;
  payload?: string | undefined;
}

class Block {
  readonly token = new Uint32Array(ROWS);
  readonly message = new Uint32Array(ROWS);
  readonly at = new Float64Array(ROWS);
  readonly status = new Uint16Array(ROWS);
  readonly reason = new Uint8Array(ROWS);
  readonly textEnd = new Uint32Array(ROWS);
  readonly collapseLength = new Uint8Array(ROWS);
  readonly idLength = new Uint8Array(ROWS);
  text = Buffer.allocUnsafeSlow(ROWS * 16);
  payloads: Map<number, string> | undefined;
}

/** Rows in columns of typed arrays, about 30 bytes each plus their strings; the oldest 16,384 rows are evicted when `capacity` is reached. */
export class EntryLog {
  #blocks: Block[] = [];
  #first = 0;
  #next = 0;
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = Math.max(capacity, ROWS);
  }

  /** The number of the oldest retained row. */
  get first(): number {
    return this.#first;
  }

  /** The number of the next row. */
  get next(): number {
    return this.#next;
  }

  /** Appends a row; returns the hash of its collapse id, 0 if it has none. */
  append(row: Row): number {
    const at = this.#next % ROWS;
    if (at === 0) this.#blocks.push(new Block());
    const block = this.#blocks[this.#blocks.length - 1]!;
    block.token[at] = row.token;
    block.message[at] = row.message;
    block.at[at] = row.at;
    block.status[at] = row.status;
    block.reason[at] = row.reason;
    const hash = this.#appendTexts(block, at, row);
    if (row.payload !== undefined) (block.payloads ??= new Map()).set(at, row.payload);
    this.#next++;
    if (this.#next - this.#first > this.#capacity && this.#blocks.length > 1) {
      this.#blocks.shift();
      this.#first += ROWS;
    }
    return hash;
  }

  /** The row of a number from `first` to `next`, exclusive. */
  read(number: number): Row {
    const { block, at } = this.#find(number);
    const start = at === 0 ? 0 : block.textEnd[at - 1]!;
    const idAt = start + block.collapseLength[at]!;
    const tailAt = idAt + block.idLength[at]!;
    return {
      token: block.token[at]!,
      message: block.message[at]!,
      at: block.at[at]!,
      status: block.status[at]!,
      reason: block.reason[at]!,
      collapseId: block.text.toString('utf8', start, idAt),
      id: block.text.toString('utf8', idAt, tailAt),
      tail: block.text.toString('utf8', tailAt, block.textEnd[at]),
      payload: block.payloads?.get(at),
    };
  }

  tokenOf(number: number): number {
    const { block, at } = this.#find(number);
    return block.token[at]!;
  }

  reasonOf(number: number): number {
    const { block, at } = this.#find(number);
    return block.reason[at]!;
  }

  #find(number: number): { block: Block; at: number } {
    const index = Math.floor(number / ROWS) - Math.floor(this.#first / ROWS);
    return { block: this.#blocks[index]!, at: number % ROWS };
  }

  #appendTexts(block: Block, at: number, { collapseId, id, tail }: Row): number {
    const start = at === 0 ? 0 : block.textEnd[at - 1]!;
    const most = 3 * LONGEST;
    if (start + 3 * most > block.text.length) {
      const larger = Buffer.allocUnsafeSlow(block.text.length * 2);
      block.text.copy(larger, 0, 0, start);
      block.text = larger;
    }
    const idAt = start + write(block.text, collapseId, start);
    const tailAt = idAt + write(block.text, id, idAt);
    const end = tailAt + write(block.text, tail, tailAt);
    block.collapseLength[at] = idAt - start;
    block.idLength[at] = tailAt - idAt;
    block.textEnd[at] = end;
    return idAt === start ? 0 : hashBytes(block.text, start, idAt);
  }
}

/** Writes at most 255 bytes, without splitting a character. */
const write = (buffer: Buffer, text: string, start: number): number =>
  text === '' ? 0 : buffer.write(text, start, LONGEST, 'utf8');
