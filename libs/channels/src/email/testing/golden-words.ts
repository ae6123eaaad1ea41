import { readFileSync } from 'node:fs';

/** `htmlMails` as Chromium shows them; `node tools/golden-words.mjs` wrote them with the version in the first line. */
const [, ...lines] = readFileSync(new URL('golden-words.txt', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n');

export const goldenWords: readonly string[] = lines.map((line) => JSON.parse(line) as string);

export const wordsOf = (text: string): string =>
  text
    .replace(/^- /gm, '')
    .replace(/ ?<(?:https?|mailto|tel):[^>]*>/g, '')
    .replace(/\s+/g, ' ')
    .trim();
