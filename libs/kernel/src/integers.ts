/** A number if doubles represent it exactly, else a bigint. */
export function exactInteger(value: number | bigint): number | bigint {
  if (typeof value === 'number') {
    return Number.isSafeInteger(value) || !Number.isInteger(value) ? value : BigInt(value);
  }
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
}

/** The library types lack JSON.rawJSON. */
const { rawJSON } = JSON as unknown as { rawJSON: (this: void, text: string) => unknown };

export const jsonInteger = (value: bigint): unknown => rawJSON(value.toString());
