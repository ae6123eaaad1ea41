import { hashBytes } from './grow.ts';

const ROWS = 1 << 14;
const LONGEST = 255;

/** Copied on append; empty strings take no space. */
export interface Row {
  token: number;
  message: number;
  /** Milliseconds since 1970. */
  at: number;
  status: number;
  reason: number;
  collapseId: string;
  id: string;
  /** After the part that identifies the message. */
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

/** Columns of typed arrays, some 30 bytes a row plus strings; evicts the oldest 16,384 at `capacity`. */
export class EntryLog {
  #blocks: Block[] = [];
  #first = 0;
  #next = 0;
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = Math.max(capacity, ROWS);
  }

  get first(): number {
    return this.#first;
  }

  get next(): number {
    return this.#next;
  }

  /** @returns the hash of the collapse id, 0 without one */
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

  /** From `first` to `next`, exclusive. */
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

/** At most 255 bytes, without splitting a character. */
const write = (buffer: Buffer, text: string, start: number): number =>
  text === '' ? 0 : buffer.write(text, start, LONGEST, 'utf8');
