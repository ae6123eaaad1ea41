export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]!.length)));
  const line = (cells: readonly string[]): string =>
    cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))).join('   ');
  const rule = widths.map((width) => '─'.repeat(width)).join('───');
  return [line(head), rule, ...rows.map(line)].join('\n');
}

export const thousands = (value: number): string => value.toLocaleString('en-US');

const BAR_WIDTH = 30;

export function bar(value: number, total: number): string {
  const filled = total === 0 ? BAR_WIDTH : Math.round((Math.min(value, total) / total) * BAR_WIDTH);
  return '█'.repeat(filled) + '░'.repeat(BAR_WIDTH - filled);
}
