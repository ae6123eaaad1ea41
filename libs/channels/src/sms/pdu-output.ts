import { answerTo, HEADER_BYTES, setSequence } from './smpp-pdu.ts';

const SLAB_BYTES = 65_536;

export class PduOutput {
  #bytes = Buffer.allocUnsafeSlow(SLAB_BYTES);
  #from = 0;
  #to = 0;
  #ends: number[] = [];

  get count(): number {
    return this.#ends.length;
  }

  add(pdu: Buffer, sequence: number): void {
    const length = pdu.readUInt32BE(0);
    const at = this.#room(length);
    pdu.copy(this.#bytes, at, 0, length);
    setSequence(this.#bytes, at, sequence);
  }

  addEmptyAnswer(command: number, sequence: number, status: number): void {
    const length = HEADER_BYTES + 1;
    const at = this.#room(length);
    this.#bytes.writeUInt32BE(length, at);
    this.#bytes.writeUInt32BE(answerTo(command), at + 4);
    this.#bytes.writeUInt32BE(status, at + 8);
    setSequence(this.#bytes, at, sequence);
    this.#bytes[at + HEADER_BYTES] = 0;
  }

  take(keeps: ((i: number) => boolean) | undefined): Buffer {
    const [bytes, from, to, ends] = [this.#bytes, this.#from, this.#to, this.#ends];
    this.#from = to;
    this.#ends = [];
    if (!keeps) return bytes.subarray(from, to);
    return Buffer.concat(ends.flatMap((end, i) => (keeps(i) ? [bytes.subarray(ends[i - 1] ?? from, end)] : [])));
  }

  /** Taken bytes may be unsent, so they are never overwritten. */
  #room(length: number): number {
    if (this.#to + length > this.#bytes.length) this.#renew(length);
    const at = this.#to;
    this.#to += length;
    this.#ends.push(this.#to);
    return at;
  }

  #renew(length: number): void {
    const [from, pending] = [this.#from, this.#to - this.#from];
    const bytes = Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, 2 * (pending + length)));
    this.#bytes.copy(bytes, 0, from, this.#to);
    this.#bytes = bytes;
    this.#ends = this.#ends.map((end) => end - from);
    this.#from = 0;
    this.#to = pending;
  }
}
