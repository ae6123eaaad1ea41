/** A device's number in its application, 32 bits, given out in order; the unit of fan-out and statistics is a chunk of 65,536 of them. */
export type Seq = number;

export const CHUNK_SIZE = 65_536;

export const chunkOf = (seq: Seq): number => seq >>> 16;
export const positionOf = (seq: Seq): number => seq & 0xffff;
export const seqOf = (chunk: number, position: number): Seq => chunk * CHUNK_SIZE + position;
