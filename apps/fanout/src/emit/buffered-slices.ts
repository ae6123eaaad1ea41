import { positionsOfSlice, sliceCount } from '@tidings/delivery';
import { Bitmap } from '@tidings/kernel';
import type { Columns } from '@tidings/registry-store';

export function bufferedSlices(
  columns: Columns,
  recipients: Bitmap,
  sliceSize: number,
  slices: readonly number[],
): readonly number[] {
  if (columns.isWhole) return slices;
  const positions = recipients.positions();
  return slices.filter((number) => columns.hasTexts(positionsOfSlice(positions, number, sliceSize)));
}

export function membersOf(recipients: Bitmap, sliceSize: number, slices: readonly number[]): Bitmap {
  if (slices.length === sliceCount(recipients.size, sliceSize)) return recipients;
  const positions = recipients.positions();
  return Bitmap.of(slices.flatMap((number) => Array.from(positionsOfSlice(positions, number, sliceSize))));
}
