/** 32 bits; a chunk is 65,536 of them. */
export type Seq = number;

export const CHUNK_SIZE = 65_536;

/** Test devices, by their places in the list (R-L2): no device gets a number in it. */
export const TEST_CHUNK = 0xffff;

export const chunkOf = (seq: Seq): number => seq >>> 16;
export const positionOf = (seq: Seq): number => seq & 0xffff;
export const seqRangeOf = (chunk: number): readonly [from: Seq, to: Seq] => [
  seqOf(chunk, 0),
  seqOf(chunk, CHUNK_SIZE - 1),
];
export const seqOf = (chunk: number, position: number): Seq => chunk * CHUNK_SIZE + position;
