import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A reply of a provider that the table of R-P3 lists. */
export interface DocumentedReply {
  readonly provider: string;
  /** How the table names it, with `#` in the place of codes: `#`, `# without a code`. */
  readonly phrase: string;
  /** The codes in its place: one, or all that the phrase has a place for. */
  readonly codes: readonly string[];
  readonly category: string;
  /** The consequence, in the words of the table. */
  readonly then: string;
}

const page = new URL('../../../docs/behaviour/delivery.md', import.meta.url);

const CODE = /`([^`]+)`|0x[0-9A-F]{2}|\b\dxx\b|-?\b\d+\b/g;
/** A range of codes that are numbers. */
const RANGE = /(-?\d+) to (-?\d+)/g;

const expanded = (text: string): string =>
  text.replaceAll(RANGE, (_, from: string, to: string) => {
    const [low, high] = [Number(from), Number(to)].toSorted((a, b) => a - b) as [number, number];
    return Array.from({ length: high - low + 1 }, (_, i) => low + i).join(', ');
  });

/** The cases in a cell: a list of codes is a case each. */
function casesIn(cell: string): Pick<DocumentedReply, 'phrase' | 'codes'>[] {
  return cell.split('; ').flatMap((part) => {
    const text = expanded(part);
    const codes = [...text.matchAll(CODE)].map(([whole, quoted]) => quoted ?? whole);
    const phrase = text.replaceAll(CODE, '#').replaceAll(/#(, #)+/g, '#');
    const places = phrase.split('#').length - 1;
    return places === 1 ? codes.map((code) => ({ phrase, codes: [code] })) : [{ phrase, codes }];
  });
}

/** Every reply in the table of R-P3, in its order (T8). */
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
