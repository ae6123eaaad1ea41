import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface DocumentedReply {
  readonly provider: string;
  /** With `#` in the place of codes: `#`, `# without a code`. */
  readonly phrase: string;
  readonly codes: readonly string[];
  readonly category: string;
  readonly then: string;
}

const page = new URL('../../../docs/behaviour/delivery.md', import.meta.url);

const CODE = /`([^`]+)`|0x[0-9A-F]{2}|\b\dxx\b|-?\b\d+\b/g;
const RANGE = /(-?\d+) to (-?\d+)/g;

const expanded = (text: string): string =>
  text.replaceAll(RANGE, (_, from: string, to: string) => {
    const [low, high] = [Number(from), Number(to)].toSorted((a, b) => a - b) as [number, number];
    return Array.from({ length: high - low + 1 }, (_, i) => low + i).join(', ');
  });

/** A list of codes is a case each. */
function casesIn(cell: string): Pick<DocumentedReply, 'phrase' | 'codes'>[] {
  return cell.split('; ').flatMap((part) => {
    const text = expanded(part);
    const codes = [...text.matchAll(CODE)].map(([whole, quoted]) => quoted ?? whole);
    const phrase = text.replaceAll(CODE, '#').replaceAll(/#(, #)+/g, '#');
    const places = phrase.split('#').length - 1;
    return places === 1 ? codes.map((code) => ({ phrase, codes: [code] })) : [{ phrase, codes }];
  });
}

/** In the table's order (T8). */
export function documentedReplies(): DocumentedReply[] {
  const text = readFileSync(fileURLToPath(page), 'utf8');
  const [, section = ''] = text.split(/^### R-P3$/m);
  const lines = section.split('\n').filter((line) => line.startsWith('| '));
  return lines.slice(2).flatMap((line) => {
    const [provider, reply, category, then] = line
      .slice(2, -2)
      .split(' | ')
      .map((cell) => cell.trim()) as [string, string, string, string];
    return casesIn(reply).map((each) => ({ provider, ...each, category: category.replaceAll('`', ''), then }));
  });
}
