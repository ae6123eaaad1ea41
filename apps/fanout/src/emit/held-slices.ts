import { positionsOfSlice, sliceCount } from '@tidings/delivery';
import { Bitmap } from '@tidings/kernel';
import type { Columns } from '@tidings/registry-store';

export function heldSlices(
  columns: Columns,
  sendable: Bitmap,
  sliceSize: number,
  slices: readonly number[],
): readonly number[] {
  if (columns.isWhole) return slices;
  const positions = sendable.positions();
  return slices.filter((number) => columns.hasTexts(positionsOfSlice(positions, number, sliceSize)));
}

export function membersOf(sendable: Bitmap, sliceSize: number, slices: readonly number[]): Bitmap {
  if (slices.length === sliceCount(sendable.size, sliceSize)) return sendable;
  const positions = sendable.positions();
  return Bitmap.of(slices.flatMap((number) => Array.from(positionsOfSlice(positions, number, sliceSize))));
}
