export const grown = <T extends Uint8Array | Uint16Array | Uint32Array | Float64Array>(array: T, length: number): T => {
  if (length <= array.length) return array;
  const larger = new (array.constructor as new (length: number) => T)(Math.max(length, array.length * 2));
  larger.set(array);
  return larger;
};

/** FNV-1a, never 0. */
export const hashBytes = (bytes: Uint8Array, start: number, end: number): number => {
  let hash = 0x811c9dc5;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193);
  // The last round mixes the high bits into the low ones, which choose the slot.
  hash ^= hash >>> 15;
  return hash >>> 0 || 1;
};
