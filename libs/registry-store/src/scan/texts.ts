const KEPT_BYTES = 16 * 1024 * 1024;

export class Bytes {
  buffer = Buffer.allocUnsafeSlow(4096);
  length = 0;

  reserve(more: number): void {
    if (this.length + more <= this.buffer.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(this.buffer.length * 2, this.length + more));
    this.buffer.copy(grown, 0, 0, this.length);
    this.buffer = grown;
  }

  clear(): void {
    this.length = 0;
    if (this.buffer.length > KEPT_BYTES) this.buffer = Buffer.allocUnsafeSlow(4096);
  }

  append(source: Uint8Array, from: number, to: number): void {
    this.reserve(to - from);
    const { buffer } = this;
    let at = this.length;
    // For short texts a loop is faster than a copy.
    if (to - from > 64) buffer.set(source.subarray(from, to), at);
    else for (let i = from; i < to; i++) buffer[at++] = source[i]!;
    this.length += to - from;
  }

  cutText(length: number): void {
    this.length = length;
    while (this.length > 0 && (this.buffer[this.length]! & 0xc0) === 0x80) this.length--;
  }

  appendText(text: string): void {
    this.reserve(text.length * 3);
    this.length += this.buffer.write(text, this.length, 'utf8');
  }
}

/** Text t of device i ends at `ends[i * width + t]`. */
export class Texts {
  readonly bytes = new Bytes();
  ends = new Uint32Array(1024);
  width = 0;

  reset(width: number): void {
    this.width = width;
    this.bytes.clear();
  }

  get length(): number {
    return this.bytes.length;
  }

  startOf(device: number): number {
    return device === 0 || this.width === 0 ? 0 : this.ends[device * this.width - 1]!;
  }

  bytesOf(device: number): number {
    return this.width === 0 ? 0 : this.ends[(device + 1) * this.width - 1]! - this.startOf(device);
  }

  end(device: number, text: number): void {
    const at = device * this.width + text;
    if (at >= this.ends.length) {
      const larger = new Uint32Array(Math.max(this.ends.length * 2, at + 1));
      larger.set(this.ends);
      this.ends = larger;
    }
    this.ends[at] = this.bytes.length;
  }

  truncate(device: number): void {
    this.bytes.length = this.startOf(device);
  }

  addEmpty(device: number): void {
    for (let text = 0; text < this.width; text++) this.end(device, text);
  }

  copy(device: number, text: number, source: Texts, row: number, from: number): void {
    const index = row * source.width + from;
    this.bytes.append(source.bytes.buffer, index === 0 ? 0 : source.ends[index - 1]!, source.ends[index]!);
    this.end(device, text);
  }
}
