/**
 * The canonical form of integers in code: a number if JSON and doubles represent it exactly, a bigint beyond 2^53 - 1. Equal integers are then
 * identical, and `<` is exact between both forms. Other numbers are unchanged.
 */
export function exactInteger(value: number | bigint): number | bigint {
  if (typeof value === 'number') {
    return Number.isSafeInteger(value) || !Number.isInteger(value) ? value : BigInt(value);
  }
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
}

/** JSON.rawJSON, which the library types lack: a value that JSON.stringify writes as its source text. */
const { rawJSON } = JSON as unknown as { rawJSON: (this: void, text: string) => unknown };

/** A value that JSON.stringify writes as all digits of the integer. */
export const jsonInteger = (value: bigint): unknown => rawJSON(value.toString());
