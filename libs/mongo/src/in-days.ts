const HOUR_MS = 3_600_000;

export function inDays(ms: number): string {
  const hours = ms / HOUR_MS;
  const [count, unit] = hours % 24 === 0 ? [hours / 24, 'day'] : [hours, 'hour'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
