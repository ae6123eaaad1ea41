/**
 * The one form that code compares an integer in: a number where JSON and doubles keep it exactly, a bigint beyond 2^53 - 1. Equal integers are
 * then identical, and `<` is exact between both forms. What is no integer stays what it is.
 */
export function exactInteger(value: number | bigint): number | bigint {
  if (typeof value === 'number') {
    return Number.isSafeInteger(value) || !Number.isInteger(value) ? value : BigInt(value);
  }
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
}

/** Not in the library types yet: a value that JSON.stringify writes as the text that it was made of. */
const { rawJSON } = JSON as unknown as { rawJSON: (this: void, text: string) => unknown };

/** What JSON.stringify writes as the digits of the integer, however many. */
export const jsonInteger = (value: bigint): unknown => rawJSON(value.toString());
