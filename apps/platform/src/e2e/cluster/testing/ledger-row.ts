import { appendFile } from 'node:fs/promises';

export async function appendRow(variable: string, columns: readonly (string | number)[]): Promise<void> {
  const line = `| ${columns.join(' | ')} |\n`;
  const file = process.env[variable];
  if (file) await appendFile(file, line);
  else process.stderr.write(line);
}
